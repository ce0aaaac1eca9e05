import type { Refusal } from './denial.ts';

/** Whether a call is refused: shadow accounts refuse nothing. */
export function isRefused(refusals: readonly Refusal[]): boolean {
  return refusals.some(({ shadow }) => !shadow);
}

/** An answer with what shadow accounts would have refused, if anything. */
export function reporting<Answer>(
  answer: Answer,
  refusals: readonly Refusal[],
): Answer | (Answer & { readonly refusals: readonly Refusal[] }) {
  return refusals.length === 0 ? answer : { ...answer, refusals };
}
