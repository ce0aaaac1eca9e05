import { type Claim, InvalidArgumentError } from '@hardcap/core';
import type { OpenStore } from './open-store.ts';

/** What one store has of a call. */
export interface CallPart {
  readonly store: OpenStore;
  /** Of the partition; null of the store above them. */
  readonly name: string | null;
  /** The id of the call as the store has it. */
  readonly id: string;
}

/** How the parts of a call are told from each other, and how long they may take together. */
export interface Manner {
  readonly nameOf: (account: string) => string | null;
  /** In ms since the epoch. */
  readonly deadline: number;
}

/** Places and counts are one digit each. */
const MOST_PARTS = 9;

/** How a store knows its part of a call. */
export interface PartName {
  /** From 1 on. By the first a call counts once where its parts are put together. */
  readonly place: number;
  /** How many parts the call has. */
  readonly count: number;
  /**
   * Whether its entries say what the call cost: those of one part do, however far apart the parts are
   * written, and whether they are settled or expire.
   */
  readonly tells: boolean;
  /** Of the call. */
  readonly id: string;
}

/** Counts of parts that say what the call cost, and of the others. */
const TELLING = '-123456789';
const OTHERS = '-abcdefghi';

/** Place and count are a character each, before the id of the call. */
export function partId({ place, count, tells, id }: PartName): string {
  return `${place}${(tells ? TELLING : OTHERS)[count]}${id}`;
}

export function readPartId(text: string): PartName {
  const [place = '', count = ''] = text;
  const tells = TELLING.includes(count);
  const counts = tells ? TELLING : OTHERS;
  return { place: Number(place), count: counts.indexOf(count), tells, id: text.slice(2) };
}

/** Every id by which some store may have a call. */
export function possiblePartIds(id: string): string[] {
  const ids: string[] = [];
  for (let count = 1; count <= MOST_PARTS; count += 1) {
    for (let place = 1; place <= count; place += 1) {
      ids.push(partId({ place, count, tells: true, id }));
      // There is no other that could.
      if (count > 1) ids.push(partId({ place, count, tells: false, id }));
    }
  }
  return ids;
}

/** Which part says what the call cost: the first that is charged money, where one is. */
export function tellingPlace(
  names: readonly (string | null)[],
  claims: readonly Claim[],
  nameOf: (account: string) => string | null,
): number {
  const isMoney = ({ account }: Claim) => account.rule.unit === 'usd';
  const paying = claims.filter(isMoney).map(({ account }) => nameOf(account.key));
  return Math.max(
    0,
    names.findIndex((name) => paying.includes(name)),
  );
}

/** Names of stores in the order in which they are asked: partitions first, and the one above last. */
export function inOrder(names: Iterable<string | null>): (string | null)[] {
  const all = new Set(names);
  const partitions = [...all].filter((name) => name !== null).toSorted();
  return all.has(null) ? [...partitions, null] : partitions;
}

/** @throws InvalidArgumentError for more than can be told apart. */
export function checkPartCount(count: number): void {
  if (count <= MOST_PARTS) return;
  throw new InvalidArgumentError(
    `A call binds accounts of at most ${MOST_PARTS - 1} partitions; this one binds ${count}. Partition by ` +
      'a dimension of which a call has one value.',
  );
}

/** A call of this process, and what it holds where. */
export class PartitionedCall {
  readonly id: string;
  readonly parts: readonly CallPart[];
  /** By account what it holds, in the order of the claims. */
  readonly holds: Map<string, number> = new Map();
  /** When parts were made by this process, by their server's clock, until the call is admitted. */
  readonly made: Map<CallPart, number> = new Map();
  /** When parts were first asked for, by the clock here. */
  readonly begunAt: Map<CallPart, number> = new Map();
  isAdmitted = false;
  /** A part of a call that was refused may still be held. */
  isDoubtful = false;
  /** When parts expire, by the clock of their server: those of several may be far apart. */
  readonly expiries: Map<CallPart, number> = new Map();

  constructor(id: string, parts: readonly CallPart[], claims: readonly Claim[]) {
    this.id = id;
    this.parts = parts;
    this.ask(claims);
  }

  /** An attempt that came to nothing may be followed by one for something else. */
  ask(claims: readonly Claim[]): void {
    this.holds.clear();
    for (const { account, amount } of claims) this.holds.set(account.key, amount);
  }
}

/** Sorts what is told by account as a list of their keys is. */
export function sortedBy<Each extends { readonly account: string }>(
  accounts: readonly string[],
  all: readonly Each[],
): Each[] {
  if (all.length < 2) return [...all];
  return all.toSorted((one, other) => {
    return accounts.indexOf(one.account) - accounts.indexOf(other.account);
  });
}
