import type { SettleRequest, SinkNotice } from '@hardcap/core';
import type { Lease } from './lease.ts';
import { adoptCalls, MOST_TOGETHER, tellEnds } from './lease-scripts.ts';
import type { StoreSink } from './store-sink.ts';

/** How a drawn call has ended, of which the store was not told yet. */
export interface DrawnEnd {
  readonly id: string;
  /** Null of one that was released. */
  readonly request: SettleRequest | null;
  /** What it cost, and what had been held; nothing of one that was released. */
  readonly parts: readonly SettledPart[];
}

export interface SettledPart {
  readonly lease: Lease;
  readonly amount: number;
  readonly held: number;
}

/** So many scripts are under way at once. */
const MOST_SCRIPTS = 8;

/** Ends of calls until the store has been told of them; telling it again changes nothing. */
export class DrawnEnds {
  readonly #store: StoreSink;
  readonly #hear: (notices: readonly SinkNotice[]) => void;
  #unsent: DrawnEnd[] = [];

  constructor(store: StoreSink, hear: (notices: readonly SinkNotice[]) => void) {
    this.#store = store;
    this.#hear = hear;
  }

  get size(): number {
    return this.#unsent.length;
  }

  add(end: DrawnEnd): void {
    this.#unsent.push(end);
  }

  /** Tells the store of all. What it does not answer is kept. */
  async tell(deadline: number): Promise<void> {
    while (this.#unsent.length > 0) {
      const taken = this.#unsent.splice(0, MOST_TOGETHER * MOST_SCRIPTS);
      const failed: DrawnEnd[] = [];
      const told: Promise<void>[] = [];
      for (let from = 0; from < taken.length; from += MOST_TOGETHER) {
        const some = taken.slice(from, from + MOST_TOGETHER);
        const keep = (error: unknown) => {
          failed.push(...some);
          throw error;
        };
        told.push(this.#tell(some, deadline).catch(keep));
      }
      const outcomes = await Promise.allSettled(told);
      this.#unsent.unshift(...failed);
      const failure = outcomes.find(({ status }) => status === 'rejected');
      if (failure?.status === 'rejected') throw failure.reason;
    }
  }

  async #tell(ends: DrawnEnd[], deadline: number): Promise<void> {
    const { at, notices, letters } = await tellEnds(this.#store.scripts, ends, deadline);
    this.#hear(notices);
    const isLate = (place: number) => '-xo'.includes(letters[place] as string);
    const late = ends.filter((_, place) => isLate(place));
    let charged = 0;
    for (const [place, { parts }] of ends.entries()) {
      if (letters[place] === 'c') charged += 1;
      if (!isLate(place)) paid(parts);
    }
    this.#store.wrote(charged, at);
    // Only these are told again where that fails.
    ends.splice(0, ends.length, ...late);
    // One at a time: they are few, and their order is that of the ledger.
    for (const end of late) {
      await this.#tellLate(end, deadline);
      ends.shift();
    }
  }

  /** Settles a call whose lease has gone meanwhile, as any other that is late. */
  async #tellLate({ id, request, parts }: DrawnEnd, deadline: number): Promise<void> {
    if (request === null) return;
    const { scripts } = this.#store;
    // No more than it cost: the rest of its hold may have been drawn again.
    const held = parts.map(({ lease, amount, held: reserved }) => ({ lease, amount, reserved }));
    const { at } = scripts.session;
    const call = { id, parts: held, admittedAt: at, expiresAt: at, isDoubtful: true };
    this.#hear((await adoptCalls(scripts, [call], deadline)).notices);
    this.#hear((await this.#store.settle(request, deadline)).notices);
    paid(parts);
  }
}

function paid(parts: readonly SettledPart[]): void {
  for (const { lease, amount } of parts) lease.paid(amount);
}
