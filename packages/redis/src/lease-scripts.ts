import type { SinkNotice } from '@hardcap/core';
import { inJson } from './account-text.ts';
import { type Reply, readNotices } from './answer-text.ts';
import type { DrawnCall } from './drawn-calls.ts';
import type { DrawnEnd } from './drawn-ends.ts';
import { settlementText } from './entry-text.ts';
import type { Lease } from './lease.ts';
import type { Argument } from './script-runner.ts';
import { ADOPT, LEASE, SETTLE_LEASED } from './scripts.ts';
import type { StoreScripts } from './store-scripts.ts';

/** The most calls, or leases, of one script: others have to wait for it. */
export const MOST_TOGETHER = 64;

interface Told {
  readonly at: number;
  readonly notices: readonly SinkNotice[];
  /** How each call is known: a letter as of the script. */
  readonly letters: string;
}

/** Tells a store how calls have ended, and notes what is known of the accounts after that. */
export async function tellEnds(
  scripts: StoreScripts,
  ends: readonly DrawnEnd[],
  deadline: number,
): Promise<Told> {
  const places = new Map<Lease, number>();
  for (const { parts } of ends) {
    for (const { lease } of parts) if (!places.has(lease)) places.set(lease, places.size + 1);
  }
  const leases = [...places.keys()];
  const args: Argument[] = [leases.length];
  for (const { id, account } of leases) args.push(fieldOf(id), scripts.accounts.field(account.key));
  args.push(ends.length);
  for (const { id, request, parts } of ends) {
    args.push(fieldOf(id), request === null ? '' : settlementText(request), parts.length);
    for (const { lease, amount, held } of parts) {
      args.push(places.get(lease) as number, amount, held);
    }
  }
  const reply = await scripts.run(SETTLE_LEASED, () => args, deadline);
  const figures = reply.slice(4) as (number | null)[];
  for (const [place, lease] of leases.entries()) {
    const [committed, alarm] = figures.slice(place * 2, place * 2 + 2);
    if (committed !== null) lease.committed = committed ?? 0;
    lease.alarm = alarm ?? Number.POSITIVE_INFINITY;
  }
  return toldIn(reply);
}

/** Makes reservations of their own of drawn calls. */
export async function adoptCalls(
  scripts: StoreScripts,
  calls: readonly DrawnCall[],
  deadline: number,
): Promise<Told> {
  const args: Argument[] = [calls.length];
  for (const { id, expiresAt, admittedAt, parts } of calls) {
    args.push(fieldOf(id), expiresAt, admittedAt, parts.length);
    for (const { lease, amount, reserved } of parts) {
      args.push(fieldOf(lease.id), amount, reserved);
    }
  }
  return toldIn(await scripts.run(ADOPT, () => args, deadline));
}

/** What is asked about a lease. */
export interface LeaseWish {
  readonly lease: Lease;
  readonly mode: 'new' | 'keep' | 'end';
  /** What of its room it keeps in any case, and what it would like. */
  readonly keep: number;
  readonly want: number;
  /** Less is not worth it. */
  readonly least: number;
}

/** What the store says of a lease. */
export interface LeaseFigures {
  readonly status: 'held' | 'over' | 'none' | 'released' | 'settled' | 'expired' | 'lost';
  readonly total: number;
  readonly expiresAt: number;
  /** The share of what is left of the account. */
  readonly fair: number;
  readonly committed: number;
  readonly alarm: number;
  readonly till: number;
}

export interface WishesAsked {
  readonly parts: number;
  readonly ttlMs: number;
  /** Accounts whose latest denial is of a call that is asked for again. */
  readonly undenied: readonly string[];
  readonly deadline: number;
}

/** Asks a store for leases, each for a next change of it. */
export async function askForLeases(
  scripts: StoreScripts,
  wishes: readonly LeaseWish[],
  { parts, ttlMs, undenied, deadline }: WishesAsked,
): Promise<{ at: number; notices: readonly SinkNotice[]; figures: readonly LeaseFigures[] }> {
  for (const { lease } of wishes) lease.changes += 1;
  const isNew = wishes.some(({ mode }) => mode === 'new');
  const argsAt = (at: number): Argument[] => {
    // One that is taken when nobody waits for it any more would be used by nobody.
    const args: Argument[] = [ttlMs, isNew ? scripts.session.notAfter : '', wishes.length];
    for (const { lease, mode, want, least } of wishes) {
      // Where it is asked again, calls may have drawn of what it keeps.
      const { id, account, changes, base, room, sign } = lease;
      if (mode === 'new') lease.window = account.rule.window.at(at).id;
      const terms = mode === 'new' ? scripts.accounts.terms(account, at, at + ttlMs, false) : sign;
      args.push(
        fieldOf(id),
        inJson(account.key),
        `v${changes}`,
        mode,
        base,
        room,
        want,
        parts,
        least,
      );
      args.push(terms);
    }
    args.push(...undenied.map(inJson));
    return args;
  };
  const [, at, notices, ...figures] = await scripts.run(LEASE, argsAt, deadline);
  return {
    at: Number(at),
    notices: readNotices(notices),
    figures: figures.map((each) => figuresOf(each as Reply)),
  };
}

function figuresOf([status, total, expiresAt, fair, committed, alarm, till]: Reply): LeaseFigures {
  const orNone = (value: unknown) => (value == null ? Number.POSITIVE_INFINITY : Number(value));
  return {
    status: status as LeaseFigures['status'],
    total: Number(total ?? 0),
    expiresAt: Number(expiresAt ?? 0),
    fair: orNone(fair),
    committed: Number(committed ?? 0),
    alarm: orNone(alarm),
    till: orNone(till),
  };
}

function toldIn([, at, notices, letters]: Reply): Told {
  return { at: Number(at), notices: readNotices(notices), letters: String(letters) };
}

/** The field of a reservation in the books. */
function fieldOf(id: string): string {
  return `r${inJson(id)}`;
}
