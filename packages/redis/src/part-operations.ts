import type { Claim, Refusal, ReleaseAnswer } from '@hardcap/core';
import { inJson } from './account-text.ts';
import { type Reply, readNotices, readRefusals } from './answer-text.ts';
import type { OpenStore } from './open-store.ts';
import type { Heard } from './part-answers.ts';
import { extendArguments, reserveArguments } from './script-arguments.ts';
import type { Argument } from './script-runner.ts';
import { EXTEND, FIND, RELEASE, RESERVE } from './scripts.ts';
import { releaseReply, StoreSink } from './store-sink.ts';

/** Who would refuse what was asked, if anybody. */
export interface Refusing extends Heard {
  readonly refusals: readonly Refusal[];
}

/** Ids that a store knows. */
export interface Found extends Heard {
  readonly found: readonly string[];
}

export interface Asking {
  readonly id: string;
  readonly claims: readonly Claim[];
  /** Of the operation that it is part of, in ms since the epoch. */
  readonly deadline: number;
}

export interface Undoing {
  readonly id: string;
  readonly admittedAt: number;
  readonly deadline: number;
}

/** Who would refuse a reservation. Holds nothing; whoever would refuse counts a denial. */
export async function refusalsOf(store: OpenStore, asking: Asking): Promise<Refusing> {
  if (!(store instanceof StoreSink)) return store.refusalsOf(asking);
  const { scripts } = store;
  const { id, claims, deadline } = asking;
  let args: readonly Argument[] = [];
  const argsAt = (at: number) => {
    args = reserveArguments(scripts.accounts, { id, claims, ttlMs: 0 }, at, '');
    return args;
  };
  const answer = refusingOf(await scripts.run(RESERVE, argsAt, deadline), claims);
  scripts.accounts.refused(claims, args, answer.refusals);
  return answer;
}

/** Who would refuse these totals of a reservation. Nothing is changed. */
export async function growthRefusalsOf(store: OpenStore, asking: Asking): Promise<Refusing> {
  if (!(store instanceof StoreSink)) return store.growthRefusalsOf(asking);
  const { scripts } = store;
  const { id, claims, deadline } = asking;
  const argsAt = (at: number, ways: (ttlMs: number) => Argument[]): Argument[] => {
    const args = extendArguments(scripts.accounts, { id, claims, ttlMs: 0 }, at);
    args.push(...ways(0));
    return args;
  };
  const reply = await scripts.run(EXTEND, argsAt, deadline);
  return refusingOf(reply, claims);
}

/**
 * Takes back the hold of a call that another store has refused, as if it had never been. One that was
 * made at another time stays.
 */
export async function undoHold(store: OpenStore, undoing: Undoing): Promise<ReleaseAnswer> {
  if (!(store instanceof StoreSink)) return store.undo(undoing);
  const { scripts } = store;
  const { id, admittedAt, deadline } = undoing;
  return releaseReply(await scripts.run(RELEASE, () => [inJson(id), admittedAt], deadline));
}

/** Which of some ids a store knows, whatever became of them. */
export async function findIds(
  store: OpenStore,
  ids: readonly string[],
  deadline: number,
): Promise<Found> {
  if (!(store instanceof StoreSink)) return store.find(ids, deadline);
  const { scripts } = store;
  const [, at, notices, found] = await scripts.run(FIND, () => ids.map(inJson), deadline);
  const known = new Set(found as readonly string[]);
  return {
    found: ids.filter((id) => known.has(inJson(id))),
    at: Number(at),
    notices: readNotices(notices),
  };
}

function refusingOf(reply: Reply, claims: readonly Claim[]): Refusing {
  const [status, time, first, notices] = reply;
  const at = Number(time);
  // Of a reservation that is not as it was asked for, nothing can be said.
  const told = status === 'denied' ? readRefusals(reply, claims, at) : [];
  return { refusals: told, at, notices: readNotices(status === 'never' ? first : notices) };
}
