import { type Difference, SinkUnavailableError, type VerifyReport } from '@hardcap/core';
import { inJson } from './account-text.ts';
import type { EntryReply } from './entry-text.ts';
import { LedgerSums, type SlotSums, totalOf } from './ledger-sums.ts';
import { HELD, PROOF, RESTORE, REVIVE } from './scripts.ts';
import { SetByHand } from './set-by-hand.ts';
import type { StoreSession } from './store-session.ts';

type WindowReply = readonly [
  names: readonly [field: string, key: string, window: string],
  committed: number,
  startsAt: number | null,
  folded: readonly (number | null)[],
];

type HeldReply = readonly [key: string, name: string, counter: number, expected: number];

interface VerifyOptions {
  /** Whether what is wrong is restored. */
  readonly repair: boolean;
  /** Ids begin with the place of a part: only the first part of a call is counted. */
  readonly isPart: boolean;
}

/** How often entries may come in between until one window was restored, or be dropped meanwhile. */
const MOST_ATTEMPTS = 20;

/**
 * Recomputes counters from the ledger and the open reservations; with `repair`, restores them. The
 * ledger only grows, so it is added up in pieces between which traffic goes on; counters are compared
 * a few at a time, each at an instant at which the sums are complete.
 */
export async function verifyBooks(
  session: StoreSession,
  { repair, isPart }: VerifyOptions,
): Promise<VerifyReport> {
  const { differences, laterParts } = await compareCommitted(session, repair);
  const reply = await session.run(HELD, [repair ? 'repair' : '', isPart ? 'parts' : '']);
  const [, at, accounts, entries, reservations, wrong] = reply as [
    string,
    number,
    number,
    number,
    number,
    readonly HeldReply[],
  ];
  const held = wrong.map(([key, window, counter, expected]): Difference => {
    return { account: keyIn(key), window, field: 'held', counter, expected };
  });
  return {
    at,
    accounts,
    entries: isPart ? entries - laterParts : entries,
    reservations,
    differences: [...differences, ...held],
  };
}

interface Compared {
  readonly differences: readonly Difference[];
  readonly laterParts: number;
}

async function compareCommitted(session: StoreSession, repair: boolean): Promise<Compared> {
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
    const compared = await new CommittedProof(session, repair).compared();
    if (compared !== null) return compared;
  }
  throw new SinkUnavailableError(
    'The ledger was pruned, or accounts were made, again and again while it was verified.',
  );
}

/** Compares settled spend with the ledger. */
class CommittedProof {
  readonly #session: StoreSession;
  readonly #repair: boolean;
  readonly #sums: LedgerSums = new LedgerSums();
  readonly #met: Set<string> = new Set();
  readonly #found: Map<string, Difference> = new Map();

  constructor(session: StoreSession, repair: boolean) {
    this.#session = session;
    this.#repair = repair;
  }

  /** Null when entries were dropped in between, or accounts were made, of which nobody knows what is right. */
  async compared(): Promise<Compared | null> {
    let before: unknown;
    for (let cursor: string | null = null; cursor !== '0'; ) {
      const args = [this.#sums.last, cursor ?? '0'];
      const [status, , dropped, entries, next, windows] = await this.#session.run(PROOF, args);
      before ??= dropped;
      if (dropped !== before) return null;
      this.#sums.add(entries as readonly EntryReply[]);
      if (status === 'entries') continue;
      for (const window of windows as readonly WindowReply[]) await this.#compare(window);
      cursor = String(next);
    }
    if (this.#repair && !(await this.#revive())) return null;
    return { differences: [...this.#found.values()], laterParts: this.#sums.laterParts };
  }

  async #compare([names, counter, startsAt, folded]: WindowReply): Promise<void> {
    const [field, key, window] = names;
    const account = keyIn(key);
    this.#met.add(account);
    const slots = () => this.#sums.of(account, window, startsAt, folded);
    const expected = totalOf(slots());
    if (counter === expected) return;
    this.#found.set(field, { account, window, field: 'committed', counter, expected });
    if (this.#repair)
      await this.#write(() => this.#session.run(RESTORE, this.#args(field, slots())));
  }

  /** Makes the accounts of which only entries are left; false where somebody else has made one meanwhile. */
  async #revive(): Promise<boolean> {
    for (const [account, { window, names }] of this.#sums.latest) {
      if (this.#met.has(account)) continue;
      const slots = () => this.#sums.of(account, window, null, []);
      const expected = totalOf(slots());
      const difference = { account, window, field: 'committed', counter: 0, expected } as const;
      if (expected !== 0) this.#found.set(`a${account}`, difference);
      const byHand = (this.#sums.byHand.get(account) ?? new SetByHand()).arguments();
      const status = await this.#write(() => {
        const args = this.#args(inJson(account), slots(), names, window, ...byHand);
        return this.#session.run(REVIVE, args);
      });
      if (status === 'there') return false;
    }
    return true;
  }

  #args(what: string, slots: SlotSums, ...more: (string | number)[]): (string | number)[] {
    const pairs = [...slots].flatMap(([slot, amount]) => (slot === null ? [] : [[slot, amount]]));
    pairs.sort(([one = 0], [other = 0]) => one - other);
    return [this.#sums.last, what, ...more, slots.get(null) ?? 0, ...pairs.flat()];
  }

  /** Writes what the whole ledger adds up to, which it must still do by then. */
  async #write(run: () => Promise<readonly unknown[]>): Promise<unknown> {
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
      const [status] = await run();
      if (status !== 'stale') return status;
      const reply = await this.#session.run(PROOF, [this.#sums.last, '0']);
      this.#sums.add(reply[3] as readonly EntryReply[]);
    }
    throw new SinkUnavailableError(
      `Entries came in between ${MOST_ATTEMPTS} times while a counter was restored. Rebuild again ` +
        'while there is less traffic.',
    );
  }
}

function keyIn(text: string): string {
  return JSON.parse(`"${text}"`);
}
