import {
  type Claim,
  ReservationMismatchError,
  type ReserveAnswer,
  type ReserveRequest,
} from '@hardcap/core';
import { reporting } from '@hardcap/core/sink';
import type { CallPart, Manner, PartitionedCall } from './call-part.ts';
import { type Heard, heardOf, refusalsAmong } from './part-answers.ts';
import { refusalsOf, undoHold } from './part-operations.ts';
import { UnconfirmedError } from './unconfirmed-error.ts';

/** By how much the clock of a server may go more slowly than the one here, while a call is asked for. */
const CLOCKS_APART_MS = 1_000;

/**
 * Holds the parts of a call one after the other, those of partitions before that of the store above
 * them. Where one is refused, those before it are taken back: until then they refuse others what they
 * would have had. A process that dies in between leaves holds that expire as any other.
 */
export async function reserveParts(
  call: PartitionedCall,
  { claims, ttlMs }: Pick<ReserveRequest, 'claims' | 'ttlMs'>,
  so: Manner,
): Promise<ReserveAnswer> {
  const answers: ReserveAnswer[] = [];
  for (const [place, part] of call.parts.entries()) {
    const own = claimsOf(part, claims, so);
    const answer = await hold(call, part, { claims: own, ttlMs }, so.deadline);
    answers.push(answer);
    if (!answer.admitted) return refused(call, claims, { answers, place, ...so });
  }
  call.made.clear();
  call.isAdmitted = true;
  const expiresAt = Math.min(...call.expiries.values());
  const refusals = refusalsAmong(answers, claims);
  return reporting({ admitted: true, expiresAt, ...heardOf(answers) }, refusals);
}

async function hold(
  call: PartitionedCall,
  part: CallPart,
  request: Pick<ReserveRequest, 'claims' | 'ttlMs'>,
  deadline: number,
): Promise<ReserveAnswer> {
  const { session } = part.store.scripts;
  const begunAt = call.begunAt.get(part) ?? session.here;
  call.begunAt.set(part, begunAt);
  let answer: ReserveAnswer;
  try {
    answer = await part.store.reserve({ id: part.id, ...request }, deadline);
  } catch (error) {
    if (ReservationMismatchError.isInstance(error)) await undoParts(call, deadline);
    // The store has given this part back. Where another cannot be, it expires.
    if (error instanceof UnconfirmedError) await undoParts(call, deadline).catch(() => {});
    throw error;
  }
  if (!answer.admitted) return answer;
  call.expiries.set(part, answer.expiresAt);
  const madeAt = part.store.repeats.get(answer) ?? answer.at;
  // What was there long before the first attempt is of somebody else, and stays. Only the time in between
  // is of the clock here: it may be far from the server's.
  const isOwn = answer.at - madeAt < session.here - begunAt + CLOCKS_APART_MS;
  if (isOwn) call.made.set(part, madeAt);
  return answer;
}

/** Takes back what a call holds that was never admitted. */
export async function undoParts(call: PartitionedCall, deadline: number): Promise<Heard[]> {
  if (call.isAdmitted) return [];
  call.isDoubtful = true;
  const undone = [...call.made].map(([{ store, id }, admittedAt]) => {
    return undoHold(store, { id, admittedAt, deadline });
  });
  const answers = await Promise.all(undone);
  call.made.clear();
  call.isDoubtful = false;
  return answers;
}

async function refused(
  call: PartitionedCall,
  claims: readonly Claim[],
  so: Manner & { readonly answers: readonly ReserveAnswer[]; readonly place: number },
): Promise<ReserveAnswer> {
  const undone = await undoParts(call, so.deadline);
  // A denial names all who refuse. That some cannot be asked does not change it.
  const asked = call.parts.slice(so.place + 1).map(async (part) => {
    const own = claimsOf(part, claims, so);
    return refusalsOf(part.store, { id: part.id, claims: own, deadline: so.deadline }).catch(
      () => [],
    );
  });
  const answers = [...so.answers, ...(await Promise.all(asked)).flat()];
  const refusals = refusalsAmong(answers, claims);
  return { admitted: false, refusals, ...heardOf([...answers, ...undone]) };
}

function claimsOf(part: CallPart, claims: readonly Claim[], { nameOf }: Manner): Claim[] {
  return claims.filter(({ account }) => nameOf(account.key) === part.name);
}
