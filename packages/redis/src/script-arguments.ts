import type {
  Account,
  Claim,
  CorrectionCharge,
  ExtendRequest,
  Refusal,
  ReserveRequest,
} from '@hardcap/core';
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

  /**
   * What a refused reservation said of accounts is kept of those that refused alone: sends that of the
   * others again.
   *
   * @param args what it was asked with, as `reserveArguments` makes them
   */
  refused(
    claims: readonly Claim[],
    args: readonly Argument[],
    refusals: readonly Pick<Refusal, 'account'>[],
  ): void {
    const texts = args.slice(-claims.length);
    for (const [place, { account }] of claims.entries()) {
      const isLong = String(texts[place]).includes('\n');
      const isKept = !isLong || refusals.some((refusal) => refusal.account === account.key);
      if (!isKept) this.#known.delete(account.key);
    }
  }

  /** The field of an account in the books. */
  field(key: string): string {
    return this.#known.get(key)?.field ?? `a${inJson(key)}`;
  }

  /**
   * What is said of the terms of an account: what stands for them where the store has the rest.
   *
   * @param isKept whether the store has them, and the window, after the script
   */
  terms({ key, rule }: Account, at: number, expiresAt: number, isKept: boolean): string {
    const { terms, sign } = ruleText(rule);
    const { window } = rule;
    const { id } = window.at(at);
    const known = this.#known.get(key);
    const isKnown = known?.sign === sign;
    const isCurrent = isKnown && known.span === id;
    if (isCurrent && !(goesAlong(rule) && window.at(expiresAt).id !== id)) return sign;
    if (isKept && !isCurrent) this.#remember(key, { sign, span: id, field: this.field(key) });
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

/** What a correction charges. */
export function chargesText(charges: readonly CorrectionCharge[]): Argument[] {
  return charges.flatMap(({ account, window, slot, amount }) => {
    return [inJson(account), window, slot ?? '', amount];
  });
}

/** What an extension is asked with, but for the windows of accounts that it does not name. */
export function extendArguments(
  accounts: AccountArguments,
  { id, claims, ttlMs }: ExtendRequest,
  at: number,
): Argument[] {
  const args: Argument[] = [inJson(id), ttlMs, claims.length];
  for (const { account, amount } of claims) {
    args.push(inJson(account.key), amount, accounts.terms(account, at, at + ttlMs, false));
  }
  return args;
}

/** What a reservation is asked with. @param notAfter when nobody waits for the answer any more */
export function reserveArguments(
  accounts: AccountArguments,
  { id, claims, ttlMs }: Pick<ReserveRequest, 'id' | 'claims' | 'ttlMs'>,
  at: number,
  notAfter: number | '',
): Argument[] {
  const args: Argument[] = [`r${inJson(id)}`, ttlMs, notAfter, claims.length];
  for (const { account } of claims) args.push(accounts.field(account.key));
  for (const { amount } of claims) args.push(amount);
  for (const { account } of claims) args.push(accounts.terms(account, at, at + ttlMs, true));
  return args;
}
