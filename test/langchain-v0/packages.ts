export { ChatAnthropic } from '@langchain/anthropic';
export * as tools from '@langchain/core/tools';
export { ChatGoogleGenerativeAI, GoogleGenerativeAIEmbeddings } from '@langchain/google-genai';
export { ChatGroq } from '@langchain/groq';
export {
  Annotation,
  Command,
  END,
  interrupt,
  MemorySaver,
  Send,
  START,
  StateGraph,
} from '@langchain/langgraph';
export { createReactAgent } from '@langchain/langgraph/prebuilt';
export { ChatMistralAI } from '@langchain/mistralai';
export { ChatOpenAI, OpenAIEmbeddings } from '@langchain/openai';
