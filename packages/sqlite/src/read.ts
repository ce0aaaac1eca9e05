import type { Account, AccountReading } from '@hardcap/core';
import { MemoryAccount } from '@hardcap/core/sink';
import type { Books } from './books.ts';

/** The figures of an account under the terms that come with the question. Keeps nothing of either. */
export function readAccount({ accounts, at }: Books, account: Account): AccountReading {
  const { key, rule } = account;
  const stored = accounts.find(key, at);
  if (stored === undefined) return new MemoryAccount(account, at).read(rule, at);
  const before = stored.account.rule;
  accounts.turn(stored, rule, at);
  const reading = stored.account.read(rule, at);
  accounts.turn(stored, before, at);
  return reading;
}
