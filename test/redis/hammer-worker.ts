// Calls with random amounts until not even the smallest fits: `node hammer-worker.ts <port> <seed>`.
import { setTimeout as pause } from 'node:timers/promises';
import type { Refusal } from '@hardcap/core';
import { RedisUsageSink } from '@hardcap/redis';
import { randomOf } from '../random.ts';
import { type HammerReport, HOLD_MS, hammerAccounts, SMALLEST } from './fleet.ts';

const [, , port = '', seed = '0'] = process.argv;
const random = randomOf(Number(seed));
const sink = new RedisUsageSink(`redis://127.0.0.1:${port}`, { timeoutMs: 20_000 });
const accounts = hammerAccounts();
let calls = 0;

/** Whether the figures of a refusal say that it had to be. */
function isRight({ limit, committed, held, requested }: Refusal): boolean {
  const most = limit ?? Number.POSITIVE_INFINITY;
  return committed + held >= most || committed + held + requested > most;
}

async function call(amount: number): Promise<readonly Refusal[]> {
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
  if (random(4) === 0) await pause(random(5));
  if (random(20) === 0) {
    await sink.release(id);
    return [];
  }
  const actual = random(3) === 0 ? random(amount + 1) : amount;
  const charges = accounts.map(({ key: account }) => ({ account, amount: actual }));
  await sink.settle({ id, outcome: 'known', charges, details: { seed } });
  return [];
}

/** One of several callers in this process. */
async function caller(): Promise<void> {
  for (;;) {
    const refusals = await call(SMALLEST + random(200));
    if (refusals.length === 0) continue;
    const least = await call(SMALLEST);
    if (least.some(({ kind }) => kind !== 'held')) return;
    // What others hold may come back.
    if (least.length > 0) await pause(20);
  }
}

function say(report: HammerReport): void {
  process.send?.(report);
}

await Promise.all([caller(), caller(), caller(), caller()]);
await sink.close();
process.send?.({ type: 'done', text: '' } satisfies HammerReport, () => process.disconnect());
