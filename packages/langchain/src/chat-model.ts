import type { JsonObject } from '@hardcap/core/adapter';

/** What can be guarded of a chat model: every `BaseChatModel` of `@langchain/core` has it. */
export interface GuardableChatModel {
  _llmType(): string;
  _generate(messages: never, options: never, runManager?: never): PromiseLike<unknown>;
}

/** What the framework hands to a model beside the messages. */
export interface CallOptions extends JsonObject {
  readonly signal?: AbortSignal;
}

/** What the callbacks of one run are told through. */
export interface RunManager {
  readonly runId?: string;
}

/** The ways in which a model reaches its provider, and what it says about itself. */
export interface ChatModel {
  _llmType(): string;
  _generate(
    messages: readonly unknown[],
    options: CallOptions,
    runManager?: RunManager,
  ): Promise<unknown>;
  _streamResponseChunks(
    messages: readonly unknown[],
    options: CallOptions,
    runManager?: RunManager,
  ): AsyncIterable<unknown>;
  _streamChatModelEvents(
    messages: readonly unknown[],
    options: CallOptions,
    runManager?: RunManager,
  ): AsyncIterable<unknown>;
  getLsParams?(options: CallOptions): unknown;
  invocationParams?(options: CallOptions): unknown;
  toJSON?(): unknown;
  _modelType?(): string;
  readonly profile?: unknown;
}

export function isChatModel(value: unknown): value is ChatModel {
  const model = value as Partial<ChatModel> | null | undefined;
  return (
    typeof model === 'object' &&
    typeof model?._generate === 'function' &&
    typeof model._llmType === 'function' &&
    // Text models have the same methods, and take prompts.
    '_streamResponseChunks' in model &&
    model._modelType?.() !== 'base_llm'
  );
}

/**
 * Whether a model has a way of its own for what `BaseChatModel`, the last in its chain that has the
 * method, only stands in for. The framework asks the same, and streams only where it has.
 */
export function hasOwn(
  model: ChatModel,
  method: '_streamResponseChunks' | '_streamChatModelEvents',
): boolean {
  let holders = 0;
  let holder: object | null = model;
  while (holder !== null) {
    if (Object.hasOwn(holder, method)) holders += 1;
    holder = Object.getPrototypeOf(holder) as object | null;
  }
  return holders > 1;
}

/**
 * The same model with some members of its own: still an instance of its class, and everything else as
 * it was.
 */
export function derived<Model extends object>(model: Model, own: object): Model {
  return Object.defineProperties(
    Object.create(model) as Model,
    Object.getOwnPropertyDescriptors(own),
  );
}

/** `ChatOpenAI` leaves its work to a model of its own for each API. */
export function delegatesOf(model: object): (readonly [string, ChatModel])[] {
  return ['completions', 'responses'].flatMap((name) => {
    const delegate = (model as Readonly<Record<string, unknown>>)[name];
    return isChatModel(delegate) ? [[name, delegate] as const] : [];
  });
}
