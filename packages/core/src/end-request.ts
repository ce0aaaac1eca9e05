import { checkedAnswer, type EndingAnswer } from './ending-answer.ts';
import type { SettleRequest, UsageSink } from './usage-sink.ts';

/** The operations that end a reservation. */
export type EndingSink = Pick<UsageSink, 'settle' | 'release'>;

/** A release, with the accounts it is about at 0. */
export type ReleaseRequest = Pick<SettleRequest, 'id' | 'charges'>;

export type EndRequest = SettleRequest | ReleaseRequest;

/** True where an operation settles, false where it releases. */
export function isSettlement(request: EndRequest): request is SettleRequest {
  return 'outcome' in request;
}

/**
 * Asks a sink to end a reservation. What an expiry has charged for a call that was not sent is taken
 * back, which a release cannot.
 *
 * @throws Error for an answer that is none.
 */
export async function askedToEnd(sink: EndingSink, request: EndRequest): Promise<EndingAnswer> {
  if (isSettlement(request)) return checkedAnswer(await sink.settle(request));
  const { id, charges } = request;
  const answer = checkedAnswer(await sink.release(id));
  if (answer.status !== 'already-resolved' || answer.first !== 'expired') return answer;
  const details = { costNanoUsd: 0 };
  return checkedAnswer(await sink.settle({ id, outcome: 'not-sent', charges, details }));
}
