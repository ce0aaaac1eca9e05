import type { SinkNotice } from '@hardcap/core';
import type { DrawnCall, DrawnCalls } from './drawn-calls.ts';
import { type DrawnEnd, DrawnEnds } from './drawn-ends.ts';
import type { HotAccounts, UsedAccount } from './hot-accounts.ts';
import { Lease, type LeaseState } from './lease.ts';
import type { LeaseClock } from './lease-clock.ts';
import type { LeaseTerms } from './lease-options.ts';
import {
  adoptCalls,
  askForLeases,
  type LeaseFigures,
  type LeaseWish,
  MOST_TOGETHER,
} from './lease-scripts.ts';
import type { StoreSink } from './store-sink.ts';
import { Turns } from './turns.ts';

/** A block is for so many times what the last interval asked for. */
const AHEAD = 2;

const NO_NOTICES: readonly SinkNotice[] = [];

/** What all leases of a store share. */
export interface LeaseBooks {
  readonly store: StoreSink;
  readonly calls: DrawnCalls;
  readonly hot: HotAccounts;
  readonly terms: LeaseTerms;
  readonly clock: LeaseClock;
  /** What ids of leases begin with: who owns them. */
  readonly owner: string;
}

/** Keeps the leases of one store: takes them, tells what calls cost, and gives them back, one step at a time. */
export class LeaseKeeper {
  readonly #books: LeaseBooks;
  readonly #leases: Set<Lease> = new Set();
  readonly #ends: DrawnEnds;
  #notices: SinkNotice[] = [];
  readonly #turns: Turns = new Turns();
  #made = 0;
  /** How often the store was asked about leases. */
  asked = 0;

  constructor(books: LeaseBooks) {
    this.#books = books;
    this.#ends = new DrawnEnds(books.store, (notices) => this.hear(notices));
  }

  /** Of how many calls the store was not told how they ended. */
  get unsent(): number {
    return this.#ends.size;
  }

  /** How many leases there are. */
  get size(): number {
    return this.#leases.size;
  }

  /** Whether there is a lease on one of these accounts, or soon will be. */
  hasLeaseOn(keys: readonly string[]): boolean {
    for (const { account } of this.#leases) if (keys.includes(account.key)) return true;
    return false;
  }

  hear(notices: readonly SinkNotice[]): void {
    this.#notices.push(...notices);
  }

  /** What the store said that nobody was told yet. */
  takeNotices(): readonly SinkNotice[] {
    if (this.#notices.length === 0) return NO_NOTICES;
    const notices = this.#notices;
    this.#notices = [];
    return notices;
  }

  add(end: DrawnEnd): void {
    this.#ends.add(end);
  }

  /** Does something after what is under way, and before what comes next. */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#turns.take('', work);
  }

  /** Tells the store how calls have ended. In turn. */
  flush(deadline: number = this.#deadline): Promise<void> {
    return this.#ends.tell(deadline);
  }

  /** Makes reservations of their own of calls. In turn. */
  async adopt(calls: readonly DrawnCall[], deadline: number = this.#deadline): Promise<void> {
    const { store, calls: known } = this.#books;
    for (let from = 0; from < calls.length; from += MOST_TOGETHER) {
      // Some may have ended while others were adopted.
      const each = calls.slice(from, from + MOST_TOGETHER);
      const some = each.filter((call) => known.open.get(call.id) === call);
      if (some.length === 0) continue;
      for (const call of some) call.isDoubtful = true;
      const { notices } = await adoptCalls(store.scripts, some, deadline);
      this.hear(notices);
      for (const { id, parts, expiresAt } of some) {
        const claims = parts.map(({ lease: { account }, amount }) => ({ account, amount }));
        known.toStore(id, claims, expiresAt);
        for (const { lease, amount } of parts) lease.leave(amount);
      }
    }
  }

  /** Gives back what can be drawn of accounts. In turn. @param undenied whose latest denial is not to count */
  async giveBack(
    leases: readonly Lease[],
    undenied: readonly string[],
    deadline: number,
  ): Promise<void> {
    const wishes = leases.filter((lease) => this.#leases.has(lease)).map(asLittle);
    await this.#ask(wishes, undenied, deadline);
  }

  /** Takes leases of what is used a lot, and sees to those that there are. In turn. */
  async renew(): Promise<void> {
    const deadline = this.#deadline;
    await this.#settleExpired(deadline);
    const wishes = [...this.#leases].map((lease) => this.#wishFor(lease));
    for (const used of this.#books.hot.wanted()) {
      const wish = this.#wishForNew(used);
      if (wish !== null) wishes.push(wish);
    }
    const short = await this.#ask(wishes, [], deadline);
    await this.#ask(short, [], deadline);
  }

  /** Gives everything back: what open calls hold is theirs from then on. In turn. */
  async handOver(): Promise<void> {
    const { open } = this.#books.calls;
    do {
      await this.flush();
      await this.adopt([...open.values()]);
    } while (this.unsent + open.size > 0);
    await this.#ask([...this.#leases].map(asLittle), [], this.#deadline);
    // Some may only be known to have expired by now.
    await this.#settleExpired(this.#deadline);
  }

  get #deadline(): number {
    return this.#books.store.scripts.runner.deadline;
  }

  /** What the next interval needs, and what is too little. */
  #needOf(used: UsedAccount): { want: number; least: number } {
    const { maxCalls, leastCalls } = this.#books.terms;
    const { demand, mean } = used;
    const want = mean === 0 ? 0 : Math.min(demand * AHEAD, mean * maxCalls);
    return { want: Math.ceil(want), least: Math.ceil(mean * leastCalls) };
  }

  #wishFor(lease: Lease): LeaseWish {
    const used = this.#books.hot.get(lease.account.key);
    const isWanted =
      used?.lease === lease &&
      !used.isIdle &&
      lease.isUnder(used.account.rule) &&
      lease.changes > 0;
    const isHere = lease.isIn(this.#books.store.scripts.session.epoch);
    if (!isWanted || !isHere || lease.state !== 'current') return asLittle(lease);
    const { want, least } = this.#needOf(used);
    const keep = lease.room > 2 * want ? want : lease.room;
    return { lease, mode: 'keep', keep, want: Math.max(want, keep), least };
  }

  #wishForNew(used: UsedAccount): LeaseWish | null {
    const { store, owner } = this.#books;
    const { want, least } = this.#needOf(used);
    if (want < least || want === 0) return null;
    this.#made += 1;
    const { account } = used;
    const { epoch, at } = store.scripts.session;
    const window = account.rule.window.at(at).id;
    const lease = new Lease(`${owner}${this.#made}`, account, window, epoch);
    return { lease, mode: 'new', keep: 0, want, least };
  }

  /** @returns what to ask for next, of accounts that run short */
  async #ask(
    wishes: readonly LeaseWish[],
    undenied: readonly string[],
    deadline: number,
  ): Promise<LeaseWish[]> {
    const next: LeaseWish[] = [];
    const { store, terms, clock } = this.#books;
    const parts = 1 / terms.share;
    for (
      let from = 0;
      from < wishes.length || (from === 0 && undenied.length > 0);
      from += MOST_TOGETHER
    ) {
      const some = wishes.slice(from, from + MOST_TOGETHER).map(asOfNow);
      const sent = clock.moment();
      this.asked += 1;
      for (const { lease, keep, mode } of some) {
        // From here on that is the store's to give to others.
        lease.room = keep;
        if (mode === 'new') this.#leases.add(lease);
      }
      const asked = { parts, ttlMs: terms.ttlMs, undenied: from === 0 ? undenied : [], deadline };
      const { at, notices, figures } = await askForLeases(store.scripts, some, asked);
      this.hear(notices);
      for (const [place, wish] of some.entries()) {
        const told = figures[place] as LeaseFigures;
        const { till, expiresAt } = told;
        wish.lease.until = clock.until(sent, { at, till, expiresAt, ttlMs: terms.ttlMs });
        const less = this.#note(wish, told);
        if (less !== null) next.push(less);
      }
    }
    return next;
  }

  #note({ lease, least, mode }: LeaseWish, told: LeaseFigures): LeaseWish | null {
    const { status, total, fair, committed, alarm } = told;
    const used = this.#books.hot.get(lease.account.key);
    lease.committed = committed;
    lease.alarm = alarm;
    if (status === 'held' || status === 'over') {
      lease.room = Math.max(0, total - lease.base);
      lease.isPaused = false;
      if (status === 'over') end(lease, 'over', used);
      else if (mode === 'new' && used?.lease === null) used.lease = lease;
      const worth = fair < least ? 0 : fair;
      lease.low = worth === 0 ? 0 : lease.room / 4;
      if (lease.state === 'current' && lease.room <= 2 * worth) return null;
      if (lease.room === 0) return null;
      return { lease, mode: 'keep', keep: lease.state === 'current' ? worth : 0, want: 0, least };
    }
    lease.room = 0;
    end(lease, status === 'expired' ? 'expired' : 'gone', used);
    if (status !== 'expired') this.#leases.delete(lease);
    return null;
  }

  #openOn(lease: Lease): DrawnCall[] {
    const calls = [...this.#books.calls.open.values()];
    return calls.filter(({ parts }) => parts.some((part) => part.lease === lease));
  }

  /** What expired though its owner lives: calls have their parts of the charge, and the rest is taken back. */
  async #settleExpired(deadline: number): Promise<void> {
    for (const lease of this.#leases) {
      if (lease.state !== 'expired') continue;
      // Calls end meanwhile. Once it is settled there is nothing to take their parts from.
      do {
        await this.flush(deadline);
        await this.adopt(this.#openOn(lease), deadline);
      } while (lease.calls > 0 && this.unsent + this.#openOn(lease).length > 0);
      const charges = [{ account: lease.account.key, amount: 0 }];
      const request = { id: lease.id, outcome: 'known', charges, details: {} } as const;
      const { notices } = await this.#books.store.settle(request, deadline);
      this.hear(notices);
      this.#leases.delete(lease);
    }
  }
}

function end(lease: Lease, state: LeaseState, used: UsedAccount | undefined): void {
  lease.state = state;
  if (used?.lease === lease) used.lease = null;
}

/** Calls may have drawn since it was wished for. */
function asOfNow(wish: LeaseWish): LeaseWish {
  const { lease, mode, keep } = wish;
  const isNeeded = mode === 'end' && lease.calls > 0;
  return { ...wish, mode: isNeeded ? 'keep' : mode, keep: Math.min(keep, lease.room) };
}

/** Of what a lease holds, what calls have of it alone; or its end, where there are none. */
function asLittle(lease: Lease): LeaseWish {
  const mode = lease.calls === 0 ? 'end' : 'keep';
  return { lease, mode, keep: 0, want: 0, least: 0 };
}
