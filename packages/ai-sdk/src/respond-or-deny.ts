import { BudgetExceededError, HardcapError, toHttpResponse } from '@hardcap/core';

/** What `streamText` and agents return, in `ai` 5, 6 and 7; `streamObject` can be read only once. */
export interface StreamedText {
  readonly fullStream: AsyncIterable<unknown>;
  readonly consumeStream: (...options: never) => PromiseLike<void>;
}

/**
 * Answers a request with the stream, or, where a budget refused the call before anything was sent,
 * with 402, 429 or 503 in place of a 200 that breaks. The stream itself is left whole.
 *
 * ```ts
 * return respondOrDeny(streamText({ model, messages }), (result) => result.toUIMessageStreamResponse());
 * ```
 */
export async function respondOrDeny<Result extends StreamedText>(
  result: Result,
  toResponse: (result: Result) => Response | PromiseLike<Response>,
): Promise<Response> {
  const denial = await denialOf(result.fullStream);
  return denial === undefined ? toResponse(result) : toHttpResponse(denial);
}

/** Each reading of `fullStream` is a branch of its own, so what is looked at here is lost to nobody. */
async function denialOf(stream: AsyncIterable<unknown>): Promise<HardcapError | undefined> {
  for await (const item of stream) {
    const part = item as { readonly type?: unknown; readonly error?: unknown };
    if (part.type === 'start') continue;
    return part.type === 'error' ? hardcapErrorIn(part.error) : undefined;
  }
  return undefined;
}

function hardcapErrorIn(error: unknown): HardcapError | undefined {
  return BudgetExceededError.find(error) ?? (HardcapError.isInstance(error) ? error : undefined);
}
