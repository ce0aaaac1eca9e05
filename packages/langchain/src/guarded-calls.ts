import { abortableModel } from './abortable-model.ts';
import type { Attempt } from './attempt.ts';
import { inAttempt } from './attempt-context.ts';
import type { AttemptOpener } from './attempt-opener.ts';
import type { CallOptions, ChatModel, RunManager } from './chat-model.ts';
import { ChunkTally } from './chunk-tally.ts';
import { withCountedRetries } from './counted-retries.ts';
import { EventTally } from './event-tally.ts';
import { generateSettlement } from './generate-settlement.ts';
import { meteredStream } from './metered-stream.ts';
import type { Tally } from './tally.ts';
import { withToldUsage } from './told-usage.ts';

/** What the framework calls a model with, once for each attempt that it knows of. */
export interface GuardedCall {
  readonly attempts: AttemptOpener;
  /** Without a guard. */
  readonly model: ChatModel;
  readonly messages: readonly unknown[];
  readonly options: CallOptions;
  readonly runManager: RunManager | undefined;
}

/** A call for a whole answer. */
export async function guardedGenerate(call: GuardedCall): Promise<unknown> {
  const attempt = await call.attempts.open(call.model, call.messages, call.options);
  try {
    const result = await generated(call, attempt);
    await attempt.settle(await generateSettlement(result, attempt));
    return result;
  } finally {
    attempt.unlink();
  }
}

async function generated(call: GuardedCall, attempt: Attempt): Promise<unknown> {
  try {
    const sender = withCountedRetries(attempt);
    const options = hearing(attempt, sender.options, call.options);
    const model = abortableModel(withToldUsage(sender.model, attempt.told), attempt.signal);
    const make = () => model._generate(call.messages, options, call.runManager);
    return await inAttempt(attempt, make);
  } catch (error) {
    await attempt.settle(attempt.failure(error));
    throw attempt.stopReason ?? error;
  }
}

/** Their packages make a stream of a whole answer where there is a signal, whatever it is for. */
const STREAMED_FOR_A_SIGNAL: ReadonlySet<string> = new Set(['mistral', 'mistralai']);

/** The options of a call for a whole answer, with the signal by which it is stopped. */
function hearing({ name }: Attempt, sent: CallOptions, { signal }: CallOptions): CallOptions {
  if (signal !== undefined || !STREAMED_FOR_A_SIGNAL.has(name.provider)) return sent;
  const { signal: _, ...others } = sent;
  return others;
}

/** A call for a stream of chunks. */
export function guardedChunks(call: GuardedCall): AsyncGenerator<unknown> {
  const name = (chunk: unknown) => nameChunk(chunk, call.runManager?.runId);
  return streamed(call, '_streamResponseChunks', (attempt) => new ChunkTally(attempt), name);
}

/**
 * Gives a chunk the id that the framework gives it when its reader takes it: callbacks hear of it
 * before that where the reader is slower than the provider.
 */
function nameChunk(chunk: unknown, runId: string | undefined): void {
  const message = (chunk as { readonly message?: NamedMessage } | null)?.message;
  if (runId !== undefined && message?.id == null) message?._updateId?.(`run-${runId}`);
}

interface NamedMessage {
  readonly id?: unknown;
  _updateId?(id: string): void;
}

/** A call for a stream of events, which knows no callbacks. */
export function guardedEvents(call: GuardedCall): AsyncGenerator<unknown> {
  return streamed(call, '_streamChatModelEvents', (attempt) => new EventTally(attempt));
}

async function* streamed(
  { attempts, model: given, messages, options, runManager }: GuardedCall,
  method: '_streamResponseChunks' | '_streamChatModelEvents',
  tallyOf: (attempt: Attempt) => Tally,
  prepare?: (item: unknown) => void,
): AsyncGenerator<unknown> {
  const attempt = await attempts.open(given, messages, options);
  try {
    const sender = withCountedRetries(attempt);
    const model = abortableModel(withToldUsage(sender.model, attempt.told), attempt.signal);
    const items = model[method](messages, sender.options, runManager);
    yield* meteredStream({ attempt, tally: tallyOf(attempt), items, prepare });
  } catch (error) {
    // A stream that came about has settled by now.
    await attempt.settle(attempt.failure(error));
    throw attempt.stopReason ?? error;
  } finally {
    attempt.unlink();
  }
}
