import type { BoundAccount } from './bound-budgets.ts';
import type { Unit } from './denial.ts';

/** The fullest that an account was. Amounts in its unit. */
export interface PeakUse {
  readonly budget: string;
  readonly account: string;
  readonly unit: Unit;
  /** Of the configuration: what is above it was left by the window before. Null counts without one. */
  readonly limit: number | null;
  readonly peak: number;
  /** When that was, in ms since the epoch. */
  readonly peakAt: number;
  /** Calls that it refused. */
  readonly denied: number;
}

type Draft = { -readonly [Key in keyof PeakUse]: PeakUse[Key] };

/** Keeps the fullest accounts, and a bounded number of others until it is known which those are. */
export class PeakTable {
  readonly #most: number;
  readonly #peaks: Map<string, Draft> = new Map();
  #leftOff = false;

  constructor(most: number) {
    this.#most = most;
  }

  /** True where accounts were left off. */
  get leftOff(): boolean {
    return this.#leftOff || this.#peaks.size > this.#most;
  }

  note(account: BoundAccount, committed: number, at: number): void {
    const draft = this.#draftOf(account, at);
    if (committed <= draft.peak) return;
    draft.peak = committed;
    draft.peakAt = at;
  }

  deny(account: BoundAccount, at: number): void {
    this.#draftOf(account, at).denied += 1;
  }

  /** The fullest first. */
  fullest(): PeakUse[] {
    return [...this.#peaks.values()].sort(byFullness).slice(0, this.#most);
  }

  #draftOf({ key, rule }: BoundAccount, at: number): Draft {
    const known = this.#peaks.get(key);
    if (known !== undefined) return known;
    if (this.#peaks.size >= 2 * this.#most) this.#prune();
    const { budget, unit, limit } = rule;
    const made = { budget, account: key, unit, limit, peak: 0, peakAt: at, denied: 0 };
    this.#peaks.set(key, made);
    return made;
  }

  #prune(): void {
    const kept = this.fullest();
    this.#leftOff = true;
    this.#peaks.clear();
    for (const peak of kept) this.#peaks.set(peak.account, peak);
  }
}

function byFullness(one: PeakUse, other: PeakUse): number {
  const share = ({ peak, limit }: PeakUse): number => (limit === null ? 0 : peak / limit);
  return share(other) - share(one) || (one.account < other.account ? -1 : 1);
}
