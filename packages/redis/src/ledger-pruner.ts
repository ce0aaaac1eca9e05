import { inJson } from './account-text.ts';
import { type EntryReply, readEntry } from './entry-text.ts';
import type { Argument, ScriptRunner } from './script-runner.ts';
import { PRUNE } from './scripts.ts';
import type { StoreSession } from './store-session.ts';

/** After how many entries that this process wrote it looks, and the most that one script drops. */
const EVERY = 128;
const MOST_DROPPED = 256;

/** Keeps the ledger from growing without end, beside the traffic. */
export class LedgerPruner {
  readonly #runner: ScriptRunner;
  readonly #session: StoreSession;
  readonly #ledger: string;
  readonly #capacity: number;
  #written = 0;
  #pruning: Promise<void> | null = null;

  /** @param capacity the entries that are kept one by one, at least. */
  constructor(runner: ScriptRunner, session: StoreSession, ledger: string, capacity: number) {
    this.#runner = runner;
    this.#session = session;
    this.#ledger = ledger;
    this.#capacity = capacity;
  }

  /** Notices that entries were written. */
  wrote(entries: number): void {
    this.#written += entries;
    if (this.#written < EVERY || this.#pruning !== null) return;
    this.#written = 0;
    // It is tried again after the next entries, and no call waits for it.
    this.#pruning = this.#prune()
      .catch(() => {})
      .finally(() => {
        this.#pruning = null;
      });
  }

  /** Waits for what has begun. */
  async settled(): Promise<void> {
    await this.#pruning;
  }

  async #prune(): Promise<void> {
    for (let more = true; more; ) {
      const length = Number(await this.#runner.command('XLEN', this.#ledger));
      const excess = Math.min(length - this.#capacity, MOST_DROPPED);
      if (excess <= 0) return;
      const range = [this.#ledger, '-', '+', 'COUNT', excess + 1];
      const entries = (await this.#runner.command('XRANGE', ...range)) as readonly EntryReply[];
      const [kept] = entries.at(-1) ?? ['0-0'];
      const dropped = entries.slice(0, -1);
      const charges = dropped.flatMap(chargesOf);
      const args = [dropped[0]?.[0] ?? '0-0', kept, dropped.length, ...charges];
      const [status] = await this.#session.run(PRUNE, args);
      more = status === 'pruned';
    }
  }
}

function chargesOf(entry: EntryReply): Argument[] {
  const place = entry[0].slice(entry[0].indexOf('-') + 1);
  return readEntry(entry).charges.flatMap(({ account, window, slot, amount }) => {
    return [inJson(account), window, slot ?? '', amount, place];
  });
}
