export { ChatAnthropic } from '@langchain/anthropic';
export { RunnableLambda } from '@langchain/core/runnables';
export * as tools from '@langchain/core/tools';
export { ChatGoogleGenerativeAI, GoogleGenerativeAIEmbeddings } from '@langchain/google-genai';
export { ChatGroq } from '@langchain/groq';
export {
  Annotation,
  Command,
  END,
  entrypoint,
  interrupt,
  MemorySaver,
  Send,
  START,
  StateGraph,
  task,
} from '@langchain/langgraph';
export { createReactAgent, ToolNode } from '@langchain/langgraph/prebuilt';
export { ChatMistralAI } from '@langchain/mistralai';
export { ChatOpenAI, OpenAIEmbeddings } from '@langchain/openai';
