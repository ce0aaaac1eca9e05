import type {
  Charge,
  Overshoot,
  ReleaseAnswer,
  Resolution,
  SettleAnswer,
  SettleRequest,
  SinkNotice,
} from '@hardcap/core';
import type { CallPart } from './call-part.ts';
import { heardOf } from './part-answers.ts';

/** How a call is to end. */
interface Ending {
  readonly way: 'settled' | 'released';
  /** Ends it in one store. */
  readonly end: (part: CallPart) => Promise<Ended>;
  /** In ms since the epoch. */
  readonly deadline: number;
}

type Ended = ReleaseAnswer | SettleAnswer;
type Sorted = <Each extends { readonly account: string }>(all: readonly Each[]) => Each[];

/**
 * Ends a call in all its stores. How it ends is decided in the first, once: the others follow what was
 * decided there, also where another process began it and died.
 *
 * @returns the answers, that of the first part first
 */
export async function endParts(
  parts: readonly CallPart[],
  { way, end, deadline }: Ending,
): Promise<Ended[]> {
  const [first, ...others] = parts as [CallPart, ...CallPart[]];
  const answer = await end(first);
  const decided = resolutionIn(answer, way);
  if (decided === way) return [answer, ...(await Promise.all(others.map(end)))];
  // A settlement comes after a release, which may not have reached all of them.
  if (decided === 'released') {
    await Promise.all(others.map((part) => part.store.release(part.id, deadline)));
  }
  return [answer];
}

/** What has been decided about a call; where its first part is unknown, whoever asks decides. */
function resolutionIn(answer: Ended, way: 'settled' | 'released'): Resolution {
  return answer.status === 'already-resolved' ? answer.first : way;
}

/** @param sorted puts what is told by account into the order of the claims */
export function settledAnswer(answers: readonly Ended[], sorted: Sorted): SettleAnswer {
  const done = answers.filter((answer) => 'charged' in answer);
  if (done.length === 0) return endedAnswer(answers);
  const { at, notices } = heardOf(answers);
  const isLate = done.some(({ status }) => status === 'late');
  return {
    status: isLate ? 'late' : 'settled',
    charged: sorted(done.flatMap(({ charged }): readonly Charge[] => charged)),
    overshoot: sorted(done.flatMap(({ overshoot }): readonly Overshoot[] => overshoot)),
    at,
    notices: answers.length > 1 ? inOrder(notices, sorted) : notices,
  };
}

/** The thresholds that a settlement crosses are told in the order of the claims, after all else. */
function inOrder(notices: readonly SinkNotice[], sorted: Sorted): SinkNotice[] {
  const thresholds = notices.filter((notice) => notice.type === 'threshold-crossed');
  const others = notices.filter(({ type }) => type !== 'threshold-crossed');
  return [...others, ...sorted(thresholds)];
}

export function releasedAnswer(answers: readonly Ended[]): ReleaseAnswer {
  const isDone = answers.some(({ status }) => status === 'released');
  return isDone ? { status: 'released', ...heardOf(answers) } : endedAnswer(answers);
}

/** Of parts that had all ended before, or that nobody holds. */
export function endedAnswer(
  answers: readonly { readonly status: string; readonly first?: Resolution }[],
): Extract<ReleaseAnswer, { status: 'already-resolved' | 'never-held' }> {
  const known = answers.find(({ status }) => status === 'already-resolved');
  const heard = heardOf(answers as readonly Ended[]);
  if (known?.first === undefined) return { status: 'never-held', ...heard };
  return { status: 'already-resolved', first: known.first, ...heard };
}

/** The amounts that are for accounts of a part. */
export function chargesOf(
  part: CallPart,
  charges: SettleRequest['charges'],
  nameOf: (account: string) => string | null,
): SettleRequest['charges'] {
  return charges.filter(({ account }) => nameOf(account) === part.name);
}
