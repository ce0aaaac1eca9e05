import type { JsonObject } from '@hardcap/core/adapter';
import type { ModelCall } from './model-call.ts';

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

/** The settings of a call for embeddings that matter here. */
export interface EmbeddingCall extends Pick<ModelCall, 'providerOptions' | 'abortSignal'> {
  readonly values?: readonly string[];
}

/** The settings of a call for images that matter here. */
export interface ImageCall extends Pick<ModelCall, 'providerOptions' | 'abortSignal'> {
  readonly prompt?: string | undefined;
  readonly n?: number;
  readonly files?: readonly JsonObject[] | undefined;
  readonly mask?: JsonObject | undefined;
}

type IdentifiedModel = ModelId & { readonly specificationVersion: string };

/** A middleware for models that do not stream, as the types of `ai` 6 and 7 take it. */
interface PlainMiddleware {
  readonly specificationVersion: 'v3';
  readonly transformParams: <Params extends object>(options: {
    readonly params: Params;
    readonly model: IdentifiedModel;
  }) => Promise<Params>;
}

/** A middleware for embedding models. */
export interface SpendBudgetForEmbeddings extends PlainMiddleware {
  readonly wrapEmbed: <Result extends object>(options: {
    readonly doEmbed: () => PromiseLike<Result>;
    readonly params: object;
    readonly model: IdentifiedModel;
  }) => Promise<Result>;
}

/** A middleware for image models. */
export interface SpendBudgetForImages extends PlainMiddleware {
  readonly wrapGenerate: <Result extends object>(options: {
    readonly doGenerate: () => PromiseLike<Result>;
    readonly params: object;
    readonly model: IdentifiedModel;
  }) => Promise<Result>;
}
