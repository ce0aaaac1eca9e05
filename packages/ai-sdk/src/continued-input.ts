import type { ModelId } from './middleware.ts';

/** How a call is answered, which Gemini lets go on for longer where it streams. */
export type CallType = 'generate' | 'stream';

/** What one request of Gemini 4 makes at most; then its package sends a further one by itself. */
const MOST_PER_REQUEST: Readonly<Record<CallType, number>> = { generate: 32_768, stream: 65_536 };

const FIRST_CONTINUING_VERSION = 4;

/**
 * The input of a call over all requests that its package may send for it: each has the prompt again,
 * and everything that was generated before.
 *
 * @param maxOutputTokens undefined for a call that gives no limit, which is never continued.
 */
export function continuedInput(
  inputTokens: number,
  maxOutputTokens: number | undefined,
  model: ModelId,
  type: CallType,
): number {
  const version = Number(/gemini-(\d+)/.exec(model.modelId)?.[1] ?? 0);
  const most = MOST_PER_REQUEST[type];
  const requests = Math.ceil((maxOutputTokens ?? 0) / most);
  if (version < FIRST_CONTINUING_VERSION || requests <= 1) return inputTokens;
  return requests * inputTokens + (most * requests * (requests - 1)) / 2;
}
