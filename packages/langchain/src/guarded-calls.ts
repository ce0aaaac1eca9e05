import { abortableModel } from './abortable-model.ts';
import type { Attempt } from './attempt.ts';
import type { AttemptOpener } from './attempt-opener.ts';
import type { CallOptions, ChatModel, RunManager } from './chat-model.ts';
import { ChunkTally } from './chunk-tally.ts';
import { withCountedRetries } from './counted-retries.ts';
import { EventTally } from './event-tally.ts';
import { failureOutcome } from './failure-outcome.ts';
import { generateSettlement } from './generate-settlement.ts';
import { linkedAbort } from './linked-abort.ts';
import { meteredStream } from './metered-stream.ts';
import type { Tally } from './tally.ts';

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
  let result: unknown;
  try {
    const counted = withCountedRetries(attempt.model, attempt);
    const { signal } = attempt.options;
    const model = signal === undefined ? counted : abortableModel(counted, signal);
    result = await model._generate(call.messages, attempt.options, call.runManager);
  } catch (error) {
    await attempt.settle(failureOutcome(error));
    throw error;
  }
  await attempt.settle(await generateSettlement(result, attempt));
  return result;
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
  { attempts, model, messages, options, runManager }: GuardedCall,
  method: '_streamResponseChunks' | '_streamChatModelEvents',
  tallyOf: (attempt: Attempt) => Tally,
  prepare?: (item: unknown) => void,
): AsyncGenerator<unknown> {
  const attempt = await attempts.open(model, messages, options);
  const { signal, abort, unlink } = linkedAbort(options.signal);
  try {
    const sent = { ...attempt.options, signal };
    const sender = abortableModel(withCountedRetries(attempt.model, attempt), signal);
    const items = sender[method](messages, sent, runManager);
    const tally = tallyOf(attempt);
    yield* meteredStream({ attempt, tally, items, signal, abort, prepare });
  } catch (error) {
    // A stream that came about has settled by now.
    await attempt.settle(failureOutcome(error));
    throw error;
  } finally {
    unlink();
  }
}
