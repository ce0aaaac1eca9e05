import type { Account, SinkNotice, WindowSpan } from '@hardcap/core';

const PARTS = 1_000_000;

/** What one charge did to the settled spend of a window. */
interface Rise {
  readonly span: WindowSpan;
  readonly limit: number | null;
  readonly before: number;
  readonly committed: number;
  readonly at: number;
}

/** Which thresholds were noticed, as a list. */
export class PlainThresholds {
  #fired: string[] = [];

  cross({ key, rule }: Account, { span, limit, before, committed, at }: Rise): SinkNotice[] {
    if (limit === null) return [];
    const { budget, unit, window, thresholds } = rule;
    return thresholds.flatMap((parts): SinkNotice[] => {
      // Exact: the limits of a model are small.
      const reachedAt = Math.ceil((limit * parts) / PARTS);
      const name = JSON.stringify([key, span.id, parts]);
      // A rolling window never starts anew: a threshold counts again once spend was below it.
      const isArmedAgain = window.kind === 'rolling' && before < reachedAt;
      if (isArmedAgain) this.#fired = this.#fired.filter((other) => other !== name);
      if (committed < reachedAt || this.#fired.includes(name)) return [];
      this.#fired.push(name);
      const figures = { threshold: parts / PARTS, committed, limit, window: span, at };
      return [{ type: 'threshold-crossed', account: key, budget, unit, ...figures }];
    });
  }
}
