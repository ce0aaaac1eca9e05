import type { Account, Adjustment } from '@hardcap/core';
import { goesAlong, inJson, ruleText, spansOf, spansOfTerms } from './account-text.ts';
import type { Argument } from './script-runner.ts';

interface Known {
  readonly sign: string;
  /** The name of its window. */
  readonly span: string;
  readonly field: string;
}

/** So many accounts are remembered to be known to the store. */
const MOST_KNOWN = 10_000;

/**
 * Accounts as the scripts read them. Terms are long, and the store has them nearly always: they are
 * sent with the first call on an account, and again when the store has others.
 */
export class AccountArguments {
  readonly #known: Map<string, Known> = new Map();

  /** Sends everything with the next call. */
  forget(): void {
    this.#known.clear();
  }

  /** The field of an account in the books. */
  field(key: string): string {
    return this.#known.get(key)?.field ?? `a${inJson(key)}`;
  }

  /** What is said of the terms of an account: what stands for them where the store has the rest. */
  terms({ key, rule }: Account, at: number, expiresAt: number): string {
    const { terms, sign } = ruleText(rule);
    const { window } = rule;
    const { id } = window.at(at);
    const known = this.#known.get(key);
    const isKnown = known?.sign === sign;
    const isCurrent = isKnown && known.span === id;
    if (isCurrent && !(goesAlong(rule) && window.at(expiresAt).id !== id)) return sign;
    if (!isCurrent) this.#remember(key, { sign, span: id, field: this.field(key) });
    return `${sign}\n${spansOf(rule, at, expiresAt)}\n${isKnown ? '' : terms}`;
  }

  #remember(key: string, known: Known): void {
    if (this.#known.size >= MOST_KNOWN) this.#known.clear();
    this.#known.set(key, known);
  }
}

/** Keys, and the windows of their accounts, from keys and terms that the store has. */
export function waysOf(needed: readonly unknown[], at: number, ttlMs: number): string[] {
  return needed.map((each, place) => {
    return place % 2 === 0 ? String(each) : spansOfTerms(String(each), at, at + ttlMs);
  });
}

/** The reservation of a correction, and its charges. */
export function correctionText(
  correction: Extract<Adjustment, { readonly type: 'correction' }>,
): Argument[] {
  const charges = correction.charges.flatMap(({ account, window, slot, amount }) => {
    return [inJson(account), window, slot ?? '', amount];
  });
  return [inJson(correction.reservation), ...charges];
}
