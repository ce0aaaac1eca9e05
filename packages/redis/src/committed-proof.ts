import { type Difference, SinkUnavailableError } from '@hardcap/core';
import { inJson, keyIn } from './account-text.ts';
import type { EntryReply } from './entry-text.ts';
import {
  type LedgerAccount,
  LedgerSums,
  latestOf,
  type SlotSums,
  totalOf,
  type WindowBirths,
} from './ledger-sums.ts';
import { PROOF, RESTORE, REVIVE } from './scripts.ts';
import { SetByHand } from './set-by-hand.ts';
import type { StoreSession } from './store-session.ts';
import type { VerifyOptions } from './verify-books.ts';
import { endOf, madeOf, rollingStart } from './window-name.ts';

/** Slots, or null where there is none, and amounts in turn. */
type Pairs = readonly (number | null)[];

/** A window as the scripts show it. */
export type WindowReply = readonly [
  names: readonly [field: string, key: string, window: string],
  committed: number,
  startsAt: number | null,
  folded: Pairs,
  slots: readonly number[],
  born: number,
];

/** What is left of an account. */
type LeftReply = readonly [
  key: string,
  isListed: number,
  window: string,
  serial: string,
  folded: Pairs,
  /** Windows that it has left. */
  past: readonly string[],
];

interface Current {
  readonly window: string;
  readonly serial: string;
  readonly folded: Pairs;
}

/** How often entries may come in between until one window was restored. */
const MOST_ATTEMPTS = 20;
/** So many accounts are asked for at once. */
const ASKED_AT_ONCE = 200;

/** Compares settled spend with the ledger, once. */
export class CommittedProof {
  readonly #session: StoreSession;
  readonly #options: VerifyOptions;
  readonly #births: WindowBirths;
  readonly #sums: LedgerSums;
  readonly #found: Map<string, Difference>;
  readonly #met: Set<string> = new Set();
  /** Windows that accounts have left, of which there are records. */
  readonly #others: Map<string, readonly string[]> = new Map();
  readonly #left: Map<string, LeftReply[]> = new Map();
  readonly #windows: Map<string, string> = new Map();
  #dropped: unknown;
  #at = 0;
  #isOutdated = false;

  /** @param found differences by field of the books */
  constructor(
    session: StoreSession,
    options: VerifyOptions,
    births: WindowBirths,
    found: Map<string, Difference>,
  ) {
    this.#session = session;
    this.#options = options;
    this.#births = births;
    this.#sums = new LedgerSums(births, session.idleMs);
    this.#found = found;
  }

  /** How many entries are of another part of a call than the first. */
  get laterParts(): number {
    return this.#sums.laterParts;
  }

  /** False when it has to be done again: what was added up meanwhile is not what counts. */
  async isDone(): Promise<boolean> {
    for (let cursor = '0'; ; ) {
      const next = await this.#look(cursor);
      if (next === '0') break;
      cursor = next;
    }
    // Entries may be of accounts that the books did not show.
    const others = [...this.#sums.accounts.keys()].filter((key) => !this.#met.has(key));
    for (let from = 0; from < others.length; from += ASKED_AT_ONCE) {
      await this.#look('of', ...others.slice(from, from + ASKED_AT_ONCE).map(inJson));
    }
    for (const account of this.#left.keys()) await this.#judge(account, false);
    return !this.#isOutdated;
  }

  /** The window of an account without a record; empty where nothing says it. */
  windowOf(account: string): string {
    return this.#windows.get(account) ?? '';
  }

  /** What is true of an account without a record on which there are holds. */
  async judgeHeld(account: string): Promise<void> {
    if (!this.#windows.has(account)) await this.#judge(account, true);
  }

  /** Budget and unit of an account; where its entries do not say them, those of others of the budget. */
  #namesOf(account: string): string {
    const [budget = ''] = account.split('|', 1);
    const isOfBudget = ([key]: readonly [string, LedgerAccount]) => key.split('|', 1)[0] === budget;
    const known =
      this.#sums.accounts.get(account) ?? [...this.#sums.accounts].find(isOfBudget)?.[1];
    // The unit comes with the next call, as all terms do.
    return known?.names ?? `${JSON.stringify(budget)},"requests"`;
  }

  /** Compares some windows, all entries added up before. Gives where to go on. */
  async #look(...where: readonly string[]): Promise<string> {
    for (;;) {
      const reply = await this.#session.run(PROOF, [this.#sums.last, ...where]);
      const [status, at, dropped, entries, next, windows, left, before] = reply;
      this.#at = Number(at);
      this.#dropped ??= dropped;
      if (dropped !== this.#dropped) this.#isOutdated = true;
      this.#sums.add(entries as readonly EntryReply[]);
      if (status === 'entries') continue;
      this.#births.books = Number(before);
      for (const window of windows as readonly WindowReply[]) await this.compare(window);
      for (const each of left as readonly LeftReply[]) {
        const account = keyIn(each[0]);
        this.#left.set(account, [...(this.#left.get(account) ?? []), each]);
      }
      return String(next);
    }
  }

  /** Compares a window, all entries added up before. */
  async compare([names, committed, startsAt, folded, all, born]: WindowReply): Promise<void> {
    const [field, key, window] = names;
    const account = keyIn(key);
    const start = startsAt ?? rollingStart(window, this.#at);
    const { kept, left } = slotsFrom(start, all);
    const counter = committed - left;
    if (field === `a${key}`) this.#met.add(account);
    else this.#others.set(account, [...(this.#others.get(account) ?? []), window]);
    const slots = () => this.#sums.of(account, window, start, folded);
    const expected = totalOf(slots());
    const wrong = counter === expected ? wrongSlot(slots(), kept) : ([counter, expected] as const);
    if (wrong === undefined) return;
    if (born > this.#births.of(account, window)) {
      this.#births.set(account, window, born);
      this.#isOutdated = true;
      return;
    }
    const [has, should] = wrong;
    this.#found.set(field, { account, window, field: 'committed', counter: has, expected: should });
    if (!this.#options.repair) return;
    await this.#restore(field, account, window, slots);
  }

  /** @param field of the books; `w` makes a window that the account has not. */
  async #restore(
    field: string,
    account: string,
    window: string,
    slots: () => SlotSums,
  ): Promise<void> {
    const what = [field, inJson(account), window, ...madeOf(window, this.#at)];
    await this.#write(() => this.#session.run(RESTORE, this.#args(what, slots())));
  }

  /** Finds out whether an account without a record should have one. @param isHeld there are holds on it */
  async #judge(account: string, isHeld: boolean): Promise<void> {
    const left = this.#left.get(account) ?? [];
    const known = this.#sums.accounts.get(account);
    const { window, serial, folded } = this.#currentOf(account, left);
    const startsAt = rollingStart(window, this.#at);
    const slots = () => this.#sums.of(account, window, startsAt, folded);
    const expected = totalOf(slots());
    const isDeleted = isHeld || left.some(([, isListed, , own]) => isListed === 1 || own !== '');
    const isForgotten = !this.#options.isLost && !this.#sums.isSpent(account, window);
    if (!isDeleted && !this.#isDue(window, isForgotten ? 0 : expected, known)) return;
    this.#windows.set(account, window);
    const field = expected === 0 ? 'record' : 'committed';
    const base = { account, window, field, counter: 0 } as const;
    this.#found.set(`a${inJson(account)}`, { ...base, expected: expected || 1 });
    if (this.#options.repair) await this.#revive(account, window, serial, slots);
  }

  /** What is known of the window that an account was in. */
  #currentOf(account: string, left: readonly LeftReply[]): Current {
    const past = [...left.flatMap((each) => each[5]), ...(this.#others.get(account) ?? [])];
    const charged = this.#sums.accounts.get(account)?.windows ?? [];
    const named = left.filter(([, , window]) => window !== '' && !past.includes(window));
    const windows = [...charged, ...named.map(([, , window]) => window)];
    const window = latestOf(windows.filter((each) => !past.includes(each)));
    const own = named.find(([, , each]) => each === window);
    return { window, serial: own?.[3] ?? '', folded: own?.[4] ?? [] };
  }

  /** Whether nothing but a deletion explains that there is no account. */
  #isDue(window: string, expected: number, known: LedgerAccount | undefined): boolean {
    if (known === undefined) return false;
    if (known.byHand.isInForce(this.#at)) return true;
    // Less than nothing is left where older entries of one that was brought back to nothing were dropped.
    if (expected <= 0) return false;
    const { earliest, latest } = endOf(window);
    if (this.#options.isLost) return this.#at < latest;
    return this.#at < earliest && this.#at < known.chargedAt + this.#session.idleMs;
  }

  async #revive(
    account: string,
    window: string,
    serial: string,
    slots: () => SlotSums,
  ): Promise<void> {
    const known = this.#sums.accounts.get(account);
    const byHand = (known?.byHand ?? new SetByHand()).arguments();
    // Of entries that were dropped, nobody knows.
    const isReset = known?.isReset === true || this.#dropped !== '0';
    const status = await this.#write(() => {
      const [, ...rolling] = madeOf(window, this.#at);
      const args = [inJson(account), this.#namesOf(account), window, serial, ...rolling, ...byHand];
      return this.#session.run(REVIVE, this.#args([...args, isReset ? 'r' : ''], slots()));
    });
    // Somebody has made it meanwhile, and nobody knows what is right of it.
    if (status === 'there') this.#isOutdated = true;
    // A changed configuration may come back to another window that is still open.
    for (const other of known?.windows ?? []) {
      const start = rollingStart(other, this.#at);
      const sums = () => this.#sums.of(account, other, start, []);
      const isOpen = other !== window && this.#at < endOf(other).latest && totalOf(sums()) !== 0;
      if (isOpen) await this.#restore('w', account, other, sums);
    }
  }

  #args(what: readonly (string | number)[], slots: SlotSums): (string | number)[] {
    const pairs = [...slots].flatMap(([slot, amount]) => (slot === null ? [] : [[slot, amount]]));
    pairs.sort(([one = 0], [other = 0]) => one - other);
    return [this.#sums.last, ...what, slots.get(null) ?? 0, ...pairs.flat()];
  }

  /** Writes what the whole ledger adds up to, which it must still do by then. */
  async #write(run: () => Promise<readonly unknown[]>): Promise<unknown> {
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
      const [status] = await run();
      if (status !== 'stale') return status;
      const reply = await this.#session.run(PROOF, [this.#sums.last, 'of']);
      this.#sums.add(reply[3] as readonly EntryReply[]);
    }
    throw new SinkUnavailableError(
      `Entries came in between ${MOST_ATTEMPTS} times while a counter was restored. Rebuild again ` +
        'while there is less traffic.',
    );
  }
}

/** The slots that count, and what those come to that have left a rolling window and are written still. */
function slotsFrom(
  start: number | null,
  all: readonly number[],
): { readonly kept: ReadonlyMap<number, number>; readonly left: number } {
  const kept = new Map<number, number>();
  let left = 0;
  for (let place = 0; place < all.length; place += 2) {
    const [slot, amount] = [all[place] as number, all[place + 1] as number];
    if (start !== null && slot < start) left += amount;
    else kept.set(slot, amount);
  }
  return { kept, left };
}

/** The first slot that is not what it should be, where there is one: what it has, and should have. */
function wrongSlot(
  expected: SlotSums,
  kept: ReadonlyMap<number, number>,
): readonly [has: number, should: number] | undefined {
  for (const slot of new Set([...expected.keys(), ...kept.keys()])) {
    if (slot === null) continue;
    const [has, should] = [kept.get(slot) ?? 0, expected.get(slot) ?? 0];
    if (has !== should) return [has, should];
  }
  return undefined;
}
