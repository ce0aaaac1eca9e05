import type { Account, AccountRule } from '@hardcap/core';
import { accountOf } from './accounts.ts';
import { ensure, expectPart } from './check.ts';
import type { ContractBench } from './contract-bench.ts';

/** 100 in a window, of which up to 50 are there in the next one. */
export async function saving(
  bench: ContractBench,
  terms: Partial<AccountRule> = {},
): Promise<Account> {
  const account = accountOf('a', { rollover: 50, ...terms, window: bench.clock.fixed });
  await bench.clock.enterWindow(account.rule.window, await bench.at());
  return account;
}

export async function nextWindow(bench: ContractBench, account: Account): Promise<void> {
  await bench.clock.passWindow(account.rule.window, await bench.at());
}

export async function expectLimit(
  bench: ContractBench,
  account: Account,
  limit: number,
  rollover: number,
  when: string,
): Promise<void> {
  expectPart(await bench.read(account), { limit, rollover }, when);
}

/** Decides by it, too: no more than so much is held, and given back. */
export async function expectRoom(
  bench: ContractBench,
  account: Account,
  room: number,
): Promise<void> {
  const id = `room-${room}`;
  ensure(!(await bench.reserve(id, [account, room + 1])).admitted, `no more than ${room} are left`);
  ensure((await bench.reserve(id, [account, room])).admitted, `${room} are left`);
  await bench.release(id);
}
