import type { ReleaseAnswer, SettleAnswer } from './usage-sink.ts';

/** What a sink answers to a settlement or a release. */
export type EndingAnswer = SettleAnswer | ReleaseAnswer;

const STATUSES: readonly string[] = [
  'settled',
  'late',
  'released',
  'already-resolved',
  'never-held',
] satisfies EndingAnswer['status'][];

/**
 * The answer, if it is one. A broken sink may give anything, and only a valid answer may end the
 * pursuit of a settlement.
 *
 * @throws Error for anything else, which counts as no answer.
 */
export function checkedAnswer<Answer extends EndingAnswer>(answer: Answer): Answer {
  if (STATUSES.includes(answer?.status) && Array.isArray(answer.notices)) return answer;
  throw new Error('the sink gave an answer that is none');
}
