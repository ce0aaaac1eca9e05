// Calls with random amounts until not even the smallest fits: `node hammer-worker.ts <port> <seed> [leases]`.
import { setTimeout as pause } from 'node:timers/promises';
import type { Account, Refusal } from '@hardcap/core';
import { RedisUsageSink } from '@hardcap/redis';
import { randomOf } from '../random.ts';
import { type HammerReport, HOLD_MS, hammerAccounts, LEASES, SMALLEST } from './fleet.ts';

const [, , port = '', seed = '0', ...how] = process.argv;
const random = randomOf(Number(seed));
const sink = new RedisUsageSink(`redis://127.0.0.1:${port}`, {
  timeoutMs: 20_000,
  ...(how.includes('leases') ? { leases: LEASES } : {}),
});
const every = hammerAccounts();
let calls = 0;
let admitted = 0;

/** Whether the figures of a refusal say that it had to be. */
function isRight({ limit, committed, held, requested }: Refusal): boolean {
  const most = limit ?? Number.POSITIVE_INFINITY;
  return committed + held >= most || committed + held + requested > most;
}

async function call(accounts: readonly Account[], amount: number): Promise<readonly Refusal[]> {
  calls += 1;
  const id = `${seed}-${process.pid}-${calls}`;
  const claims = accounts.map((account) => ({ account, amount }));
  const answer = await sink.reserve({ id, claims, ttlMs: HOLD_MS });
  if (!answer.admitted) {
    for (const refusal of answer.refusals) {
      if (!isRight(refusal)) say({ type: 'false-denial', text: JSON.stringify(refusal) });
    }
    return answer.refusals;
  }
  admitted += 1;
  if (admitted === 1) {
    say({ type: 'begun', text: '' });
    // Long enough for some to be killed meanwhile.
    await pause(HOLD_MS / 2);
  }
  if (random(2) === 0) await pause(random(10));
  if (random(20) === 0) {
    await sink.release(id);
    return [];
  }
  const actual = random(3) === 0 ? random(amount + 1) : amount;
  const charges = accounts.map(({ key: account }) => ({ account, amount: actual }));
  await sink.settle({ id, outcome: 'known', charges, details: { seed } });
  return [];
}

/** One of several callers in this process: on both accounts while that can be, then on what is left. */
async function caller(): Promise<void> {
  let left: readonly Account[] = every;
  while (left.length > 0) {
    const accounts = random(3) === 0 ? left.slice(random(left.length)).slice(0, 1) : left;
    const refusals = await call(accounts, SMALLEST + random(200));
    if (refusals.length === 0) continue;
    const least = await call(accounts, SMALLEST);
    const spent = least.filter(({ kind }) => kind !== 'held').map(({ account }) => account);
    left = left.filter(({ key }) => !spent.includes(key));
    // What others hold may come back.
    if (least.length > 0 && spent.length === 0) await pause(20);
  }
}

function say(report: HammerReport): void {
  process.send?.(report);
}

await Promise.all([caller(), caller(), caller(), caller()]);
await sink.close();
process.send?.({ type: 'done', text: '' } satisfies HammerReport, () => process.disconnect());
