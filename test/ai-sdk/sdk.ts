/** What the tests use of `ai`, as all its majors have it. */
export interface Sdk {
  generateText(options: CallOptions): Promise<Generated>;
  streamText(options: CallOptions): Streamed;
  generateObject(options: CallOptions): Promise<Generated & { readonly object: unknown }>;
  streamObject(options: CallOptions): Streamed & { readonly object: PromiseLike<unknown> };
  wrapLanguageModel(options: { readonly model: Model; readonly middleware: unknown }): Model;
  wrapProvider(options: {
    readonly provider: Provider;
    readonly languageModelMiddleware: unknown;
  }): Provider;
  createProviderRegistry(
    providers: Readonly<Record<string, Provider>>,
    options: { readonly languageModelMiddleware: unknown },
  ): Provider;
  customProvider(options: { readonly languageModels: Readonly<Record<string, Model>> }): Provider;
  stepCountIs(count: number): unknown;
  tool(options: CallOptions): unknown;
  jsonSchema(schema: unknown): unknown;
  readonly Experimental_Agent: new (
    options: CallOptions,
  ) => {
    generate(options: CallOptions): Promise<Generated>;
    stream(options: CallOptions): Streamed | Promise<Streamed>;
  };
}

export type CallOptions = Readonly<Record<string, unknown>>;

export interface Model {
  readonly provider: string;
  readonly modelId: string;
  readonly specificationVersion: string;
  doGenerate(params: CallOptions): PromiseLike<CallOptions>;
  doStream(params: CallOptions): PromiseLike<CallOptions & { stream: ReadableStream<Part> }>;
}

export interface Provider {
  languageModel(id: string): Model;
  chat(id: string): Model;
  responses(id: string): Model;
}

export interface ProviderSettings {
  readonly baseURL: string;
  readonly apiKey: string;
  readonly name?: string;
  readonly includeUsage?: boolean;
}

export interface Part {
  readonly type: string;
  readonly [key: string]: unknown;
}

export interface Generated {
  readonly text: string;
  readonly finishReason: string;
  readonly usage: unknown;
  readonly steps: readonly unknown[];
}

export interface Streamed {
  readonly fullStream: AsyncIterable<Part>;
  readonly textStream: AsyncIterable<string>;
  readonly text: PromiseLike<string>;
  readonly finishReason: PromiseLike<string>;
  readonly usage: PromiseLike<{ readonly outputTokens?: number }>;
  readonly steps: PromiseLike<readonly unknown[]>;
  consumeStream(options?: CallOptions): PromiseLike<void>;
  toUIMessageStreamResponse(options?: CallOptions): Response;
  toTextStreamResponse(): Response;
}
