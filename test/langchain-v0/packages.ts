export { ChatAnthropic } from '@langchain/anthropic';
export { RunnableLambda } from '@langchain/core/runnables';
export * as tools from '@langchain/core/tools';
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
export { ChatOpenAI, OpenAIEmbeddings } from '@langchain/openai';
