import type { Account, Claim, CorrectionCharge, ExtendRequest } from '@hardcap/core';
import { inJson, ruleText, wayOf, wayOfTerms } from './account-text.ts';
import type { Argument } from './script-runner.ts';

interface Known {
  readonly id: string;
  readonly inText: string;
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

  /** Key, amount, what stands for the terms, way, and the terms where they are needed. */
  claim(into: Argument[], { account, amount }: Claim, at: number, expiresAt: number): void {
    const { terms, id } = ruleText(account.rule);
    const [inText, isKnown] = this.#look(account.key, id);
    into.push(inText, amount, id, wayOf(account, at, expiresAt), isKnown ? '' : terms);
  }

  /** The same without an amount. */
  account(into: Argument[], account: Account, at: number): void {
    const { terms, id } = ruleText(account.rule);
    const [inText, isKnown] = this.#look(account.key, id);
    into.push(inText, id, wayOf(account, at, at), isKnown ? '' : terms);
  }

  #look(key: string, id: string): [inText: string, isKnown: boolean] {
    const known = this.#known.get(key);
    if (known?.id === id) return [known.inText, true];
    if (this.#known.size >= MOST_KNOWN) this.#known.clear();
    const inText = inJson(key);
    this.#known.set(key, { id, inText });
    return [inText, false];
  }
}

/** Keys, and the windows of their accounts, from keys and terms that the store has. */
export function waysOf(needed: readonly unknown[], at: number, ttlMs: number): string[] {
  return needed.map((each, place) => {
    return place % 2 === 0 ? String(each) : wayOfTerms(String(each), at, at + ttlMs);
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
  for (const claim of claims) accounts.claim(args, claim, at, at + ttlMs);
  return args;
}
