/** A model as a middleware sees it. */
export interface WrappedModel {
  readonly provider: string;
  readonly modelId: string;
  readonly specificationVersion: string;
  doGenerate(params: never): PromiseLike<unknown>;
  doStream(params: never): PromiseLike<unknown>;
}

/** What identifies a model in options that are functions. */
export type ModelId = Pick<WrappedModel, 'provider' | 'modelId'>;

interface StreamResult {
  readonly stream: ReadableStream<unknown>;
}

interface WrapOptions<Generated, Streamed> {
  readonly doGenerate: () => PromiseLike<Generated>;
  readonly doStream: () => PromiseLike<Streamed>;
  readonly params: object;
  readonly model: WrappedModel;
}

/**
 * A language-model middleware that the types of `ai` 5, 6 and 7 all take, without importing any of
 * them: `'v3'` is the only version that version 6 accepts, and no version looks at it at run time.
 */
export interface SpendBudgetMiddleware {
  readonly specificationVersion: 'v3';
  readonly transformParams: <Params extends object>(options: {
    readonly type: 'generate' | 'stream';
    readonly params: Params;
    readonly model: WrappedModel;
  }) => Promise<Params>;
  readonly wrapGenerate: <Result extends object>(
    options: WrapOptions<Result, unknown>,
  ) => Promise<Result>;
  readonly wrapStream: <Result extends StreamResult>(
    options: WrapOptions<unknown, Result>,
  ) => Promise<Result>;
}
