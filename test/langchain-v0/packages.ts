export { ChatAnthropic } from '@langchain/anthropic';
export * as tools from '@langchain/core/tools';
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
export { ChatOpenAI, OpenAIEmbeddings } from '@langchain/openai';
