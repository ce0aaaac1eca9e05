import { InvalidArgumentError } from '@hardcap/core';
import { asObject, type JsonObject, objectAt } from '@hardcap/core/adapter';
import { coerceMessageLikeToMessage, HumanMessage } from '@langchain/core/messages';
import {
  type CallChannel,
  carried,
  type HardcapRunOptions,
  mergedChannels,
  metadataOf,
} from './call-channel.ts';
import { type CallOptions, type ChatModel, isChatModel } from './chat-model.ts';
import { isConfigurableModel } from './configurable-model.ts';
import { keepEarly, takeEarly } from './early-reservations.ts';
import { channelledOptions } from './guarded-model.ts';
import { modelGuardsOf } from './model-guard.ts';

/** Options of {@link reserveFanOut}; those of a run hold for all of its calls. */
export interface FanOutOptions extends HardcapRunOptions {
  /** What was not called after so long is given back, in ms. @default 60000 */
  readonly releaseAfterMs?: number;
}

/** The config of one call, as JSON: it may be in the state of a graph. */
export interface FanOutConfig {
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Reservations for several calls. */
export interface FanOut {
  /** In the order of the inputs; each is for its call alone, and for one attempt of it. */
  readonly configs: readonly FanOutConfig[];
  /** Gives back at once what was not called. */
  release(): Promise<void>;
}

const RELEASE_AFTER_MS = 60_000;

/**
 * Holds the worst case of several calls before any of them is made: all of them, or none. For a
 * fan-out, of which a graph would abort the branches that are paid for when one is refused.
 *
 * ```ts
 * const { configs } = await reserveFanOut(model, prompts);
 * return prompts.map((prompt, n) => new Send('ask', { prompt, config: configs[n] }));
 * // in the node: await model.invoke(prompt, config)
 * ```
 *
 * @param runnable a guarded model, or what was made of one by `bindTools`, `withConfig` or
 * `withStructuredOutput`.
 * @param inputs of its calls.
 * @throws BudgetExceededError of the first call that does not fit beside the others; nothing is held
 * then. InvalidArgumentError for a runnable that is no guarded model.
 */
export async function reserveFanOut(
  runnable: object,
  inputs: readonly unknown[],
  { releaseAfterMs = RELEASE_AFTER_MS, ...run }: FanOutOptions = {},
): Promise<FanOut> {
  checkDelay(releaseAfterMs);
  // Before anything is held: some may be no input.
  const prompts = inputs.map(messagesOf);
  const { model, settings } = await guardedModelIn(runnable, {});
  const given = channelledOptions(model, { ...settings, metadata: metadataFor(settings, run) });
  const { channel = {}, sent } = carried(given);
  const release = () => Promise.all(ids.map((id) => giveBack(model, id))).then(() => {});
  const ids = prompts.map(() => crypto.randomUUID());
  const held = await Promise.allSettled(
    prompts.map((messages, n) => holdFor(model, messages, sent, channel, ids[n] as string)),
  );
  const failed = held.find((each) => each.status === 'rejected');
  if (failed !== undefined) {
    await release();
    throw failed.reason;
  }
  const timer = setTimeout(() => void release(), releaseAfterMs);
  (timer as { unref?(): void }).unref?.();
  return {
    configs: ids.map((reservation) => ({ metadata: metadataOf({ ...channel, reservation }) })),
    release: async () => {
      clearTimeout(timer);
      await release();
    },
  };
}

const LONGEST_DELAY_MS = 2 ** 31 - 1;

/** A timer takes what is longer for no time at all. */
function checkDelay(ms: number): void {
  if (ms >= 0 && ms <= LONGEST_DELAY_MS) return;
  throw new InvalidArgumentError(`\`releaseAfterMs\` is from 0 to ${LONGEST_DELAY_MS}.`);
}

/** With every guard that the model has. */
async function holdFor(
  model: ChatModel,
  messages: readonly unknown[],
  options: CallOptions,
  channel: CallChannel,
  id: string,
): Promise<void> {
  for (const { model: given, guard, attempts } of modelGuardsOf(model)) {
    keepEarly(guard, id, await attempts.hold(given, messages, options, channel));
  }
}

async function giveBack(model: ChatModel, id: string): Promise<void> {
  for (const { guard } of modelGuardsOf(model)) {
    await takeEarly(guard, id)
      ?.spend.release()
      .catch(() => {});
  }
}

/** The model that a runnable calls first, and what the runnable sets for its calls. */
async function guardedModelIn(
  runnable: unknown,
  outer: JsonObject,
): Promise<{ readonly model: ChatModel; readonly settings: JsonObject }> {
  if (isChatModel(runnable) && isConfigurableModel(runnable)) {
    return guardedModelIn(await runnable._getModelInstance(outer), outer);
  }
  if (isChatModel(runnable) && modelGuardsOf(runnable).length > 0) {
    return { model: runnable, settings: outer };
  }
  const { bound, first } = asObject(runnable) ?? {};
  if (bound !== undefined) {
    const own = { ...objectAt(runnable, 'config'), ...objectAt(runnable, 'kwargs') };
    return guardedModelIn(bound, { ...own, ...outer });
  }
  if (first !== undefined) return guardedModelIn(first, outer);
  throw new InvalidArgumentError(
    'reserveFanOut takes a guarded model, or what bindTools, withConfig or withStructuredOutput ' +
      'made of one. Give it that part of a sequence, and the inputs as the model will get them.',
  );
}

function metadataFor(settings: JsonObject, run: HardcapRunOptions): JsonObject | undefined {
  const own = objectAt(settings, 'metadata');
  const isGiven = Object.keys(run).length > 0;
  if (!isGiven) return own;
  const before = objectAt(own, 'hardcap') as CallChannel | undefined;
  return { ...own, ...metadataOf(mergedChannels(before ?? {}, run)) };
}

/** What a model makes of its input. */
function messagesOf(input: unknown): readonly unknown[] {
  if (typeof input === 'string') return [new HumanMessage(input)];
  if (Array.isArray(input)) return input.map((each) => coerceMessageLikeToMessage(each));
  const prompt = input as { toChatMessages?(): readonly unknown[] } | null | undefined;
  if (typeof prompt?.toChatMessages === 'function') return prompt.toChatMessages();
  throw new InvalidArgumentError(
    'An input of reserveFanOut is a text, a list of messages or a prompt value.',
  );
}
