import { setTimeout as pause } from 'node:timers/promises';
import type { Refusal } from '@hardcap/core';
import { SqliteUsageSink } from '@hardcap/sqlite';
import { randomOf } from '../random.ts';
import { accountOf } from './account.ts';
import { LIMITS, SMALLEST, TTL_MS } from './hammer.ts';
import { PATIENT_MS } from './patience.ts';

/**
 * Calls until not even the smallest request fits any more: `node hammer-worker.ts <file> <seed>`.
 * Tells the parent of the first call, of denials that were not right, and of the end.
 */
const [, , file = '', seed = '0'] = process.argv;
const random = randomOf(Number(seed));
const sink = new SqliteUsageSink(file, { timeoutMs: PATIENT_MS });
const accounts = LIMITS.map(([key, limit]) => accountOf(key, limit));
let calls = 0;

/** True when the figures of a refusal say that it had to be. */
function isRight({ limit, committed, held, requested }: Refusal): boolean {
  const most = limit ?? Number.POSITIVE_INFINITY;
  return committed + held >= most || committed + held + requested > most;
}

async function call(amount: number): Promise<readonly Refusal[]> {
  calls += 1;
  const id = `${seed}-${process.pid}-${calls}`;
  const claims = accounts.map((account) => ({ account, amount }));
  const answer = await sink.reserve({ id, claims, ttlMs: TTL_MS });
  if (calls === 1) process.send?.({ type: 'began' });
  if (!answer.admitted) {
    const wrong = answer.refusals.filter((refusal) => !isRight(refusal));
    if (wrong.length > 0) process.send?.({ type: 'false-denial', wrong });
    return answer.refusals;
  }
  if (random(4) === 0) await pause(random(3));
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
    if (least.length > 0) await pause(5);
  }
}

await Promise.all([caller(), caller(), caller(), caller()]);
await sink.close();
process.send?.({ type: 'done', calls });
process.disconnect();
