import type { BoundAccount, BudgetRule } from './bound-budgets.ts';
import type { Identity } from './identity.ts';
import { RecentMap } from './recent-map.ts';

/** What a call is bound by, and what came of it. */
export interface Binding {
  /** Dimensions as the call gave them. */
  readonly given: Identity;
  readonly provider: string;
  readonly model: string;
  readonly identity: Identity;
  readonly accounts: readonly BoundAccount[];
  readonly countsMoney: boolean;
}

const REMEMBERED = 1_024;

/**
 * The latest bindings: most calls come from the same few callers, and to find that out costs less than
 * to bind them again. They are kept by the value of one dimension, and compared in all.
 */
export class BindingMemo {
  readonly #dimension: string | undefined;
  readonly #bindings: RecentMap<Binding> = new RecentMap(REMEMBERED);

  /** @param rules whose first dimension tells callers apart; without one, nothing is remembered. */
  constructor(rules: readonly BudgetRule[]) {
    this.#dimension = rules.flatMap(({ per }) => per)[0];
  }

  find(given: Identity, provider: string, model: string): Binding | undefined {
    const value = this.#dimension === undefined ? undefined : given[this.#dimension];
    const binding = value === undefined ? undefined : this.#bindings.get(value);
    if (binding === undefined || binding.provider !== provider || binding.model !== model) {
      return undefined;
    }
    return sameDimensions(given, binding.given) ? binding : undefined;
  }

  remember(binding: Binding): void {
    const value = this.#dimension === undefined ? undefined : binding.given[this.#dimension];
    if (value !== undefined) this.#bindings.set(value, binding);
  }
}

/** @param known was found sound: a dimension that is undefined can only be one of the other's. */
function sameDimensions(given: Identity, known: Identity): boolean {
  let count = 0;
  for (const dimension in known) {
    if (given[dimension] !== known[dimension]) return false;
    count += 1;
  }
  for (const _ in given) count -= 1;
  return count === 0;
}
