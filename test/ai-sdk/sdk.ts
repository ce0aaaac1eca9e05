/** What the tests use of `ai`, as all its majors have it. */
export interface Sdk {
  generateText(options: CallOptions): Promise<Generated>;
  streamText(options: CallOptions): Streamed;
  generateObject(options: CallOptions): Promise<Generated & { readonly object: unknown }>;
  streamObject(options: CallOptions): Streamed & { readonly object: PromiseLike<unknown> };
  wrapLanguageModel(options: { readonly model: Model; readonly middleware: unknown }): Model;
  embed(options: CallOptions): Promise<{ readonly embedding: readonly number[] }>;
  embedMany(options: CallOptions): Promise<{ readonly embeddings: readonly unknown[] }>;
  experimental_generateImage?(
    options: CallOptions,
  ): Promise<{ readonly images: readonly unknown[] }>;
  generateImage?(options: CallOptions): Promise<{ readonly images: readonly unknown[] }>;
  /** Since version 6. */
  wrapEmbeddingModel?(options: { readonly model: unknown; readonly middleware: unknown }): unknown;
  wrapImageModel?(options: { readonly model: unknown; readonly middleware: unknown }): unknown;
  experimental_generateSpeech(options: CallOptions): Promise<unknown>;
  experimental_transcribe(options: CallOptions): Promise<{ readonly text: string }>;
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
  embedding(id: string): EmbeddingModel;
  image(id: string): object;
  speech(id: string): object;
  transcription(id: string): object;
}

export interface EmbeddingModel {
  doEmbed(params: CallOptions): PromiseLike<CallOptions>;
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
