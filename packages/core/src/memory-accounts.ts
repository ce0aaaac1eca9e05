import { denialsToday } from './denial-tally.ts';
import { SinkUnavailableError } from './errors.ts';
import { MemoryAccount } from './memory-account.ts';
import type { Account } from './usage-sink.ts';

/** The accounts of a memory sink: those of past windows are dropped, and there is a most of them. */
export class MemoryAccounts {
  readonly #most: number;
  readonly #accounts: Map<string, MemoryAccount> = new Map();
  #looking: Iterator<MemoryAccount> | null = null;
  #toLookAt = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#accounts.size;
  }

  get #isTight(): boolean {
    return this.size * 2 > this.#most;
  }

  all(): Iterable<MemoryAccount> {
    return this.#accounts.values();
  }

  find(key: string): MemoryAccount | undefined {
    return this.#accounts.get(key);
  }

  /**
   * The account, made where there is none yet.
   *
   * @throws SinkUnavailableError when that would be one too many.
   */
  open(account: Account, now: number): MemoryAccount {
    const known = this.#accounts.get(account.key);
    if (known !== undefined) return known;
    this.#toLookAt += 2;
    if (this.#accounts.size >= this.#most) {
      throw new SinkUnavailableError(
        `The memory sink holds ${this.#most} accounts and takes no more (asked for ` +
          `${account.key}). Raise \`maxAccounts\`, or use a sink that keeps them outside the process.`,
      );
    }
    const made = new MemoryAccount(account, now);
    this.#accounts.set(account.key, made);
    return made;
  }

  /**
   * Looks at two accounts for each new one, so that those of past windows cannot pile up. Those that
   * refused something today are kept while there is room. Must come before a request opens its accounts: one that holds nothing yet could be taken for done with.
   */
  tidy(now: number): void {
    for (; this.#toLookAt > 0; this.#toLookAt -= 1) {
      this.#looking ??= this.#accounts.values();
      const next = this.#looking.next();
      if (next.done) this.#looking = null;
      else if (
        next.value.isOver(now) &&
        (this.#isTight || denialsToday(next.value.denials, now) === 0)
      ) {
        this.#accounts.delete(next.value.key);
      }
    }
  }
}
