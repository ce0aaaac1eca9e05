/** What the tests use of LangChain, as both its majors have it. */
export interface Langchain {
  readonly ChatOpenAI: ModelClass;
  readonly ChatAnthropic: ModelClass;
  readonly ChatGoogleGenerativeAI: ModelClass;
  /** The package that follows it; of version 1 alone. */
  readonly ChatGoogle?: ModelClass;
  readonly ChatGroq: ModelClass;
  readonly ChatMistralAI: ModelClass;
  readonly tools: { tool(run: () => unknown, fields: Fields): Runnable };
  readonly RunnableLambda: { from(run: () => unknown): Runnable };
  readonly createReactAgent: (fields: Fields) => Graph;
  readonly ToolNode: new (tools: readonly unknown[], options?: Fields) => unknown;
  readonly entrypoint: (fields: Fields, run: (input: never) => unknown) => Graph;
  readonly task: <Result>(name: string, run: () => Promise<Result>) => () => Promise<Result>;
  readonly StateGraph: new (state: unknown) => GraphBuilder;
  readonly Annotation: ((fields?: object) => unknown) & { Root(fields: Fields): unknown };
  readonly Send: new (node: string, state: unknown) => unknown;
  readonly Command: new (fields: Fields) => unknown;
  readonly MemorySaver: new () => unknown;
  readonly interrupt: (value: unknown) => unknown;
  readonly START: string;
  readonly END: string;
  readonly OpenAIEmbeddings: new (fields: Fields) => Embeddings;
  readonly GoogleGenerativeAIEmbeddings: new (fields: Fields) => Embeddings;
}

export type Fields = Readonly<Record<string, unknown>>;

export type ModelClass = new (fields: Fields) => Model;

export interface Message {
  readonly content: unknown;
  readonly text: string;
  readonly usage_metadata?: Fields;
  readonly tool_calls?: readonly Fields[];
}

export interface Runnable {
  invoke(input: unknown, config?: Fields): Promise<Message>;
  stream(input: unknown, config?: Fields): Promise<AsyncIterable<Message>>;
  batch(
    inputs: readonly unknown[],
    config?: Fields,
    options?: Fields,
  ): Promise<(Message | Error)[]>;
  pipe(next: unknown): Runnable;
  withFallbacks(runnables: readonly unknown[]): Runnable;
  withRetry(options: Fields): Runnable;
  withConfig(config: Fields): Runnable;
}

export interface Model extends Runnable {
  generate(messages: readonly unknown[][], options?: Fields): Promise<unknown>;
  bindTools(tools: readonly unknown[], options?: Fields): Runnable;
  withStructuredOutput(schema: unknown, options?: Fields): Runnable;
  streamEvents(input: unknown, options?: Fields): AsyncIterable<Fields>;
  streamLog(input: unknown, options?: Fields): AsyncIterable<unknown>;
  toJSON(): unknown;
  getName(): string;
  _llmType(): string;
  _generate(messages: never, options: never, runManager?: never): Promise<unknown>;
}

export interface Embeddings {
  embedDocuments(texts: string[]): Promise<number[][]>;
  embedQuery(text: string): Promise<number[]>;
}

export interface Graph {
  invoke(input: unknown, config?: Fields): Promise<Fields>;
}

interface GraphBuilder {
  addNode(name: string, run: () => unknown, options?: Fields): GraphBuilder;
  addEdge(from: string, to: string): GraphBuilder;
  addConditionalEdges(from: string, route: () => unknown): GraphBuilder;
  compile(options?: Fields): Graph;
}
