// Calls for tenants at random, with random amounts, until not even the smallest fits anywhere:
// `node partition-worker.ts <ports> <seed>`.
import { setTimeout as pause } from 'node:timers/promises';
import type { Refusal } from '@hardcap/core';
import { randomOf } from '../random.ts';
import { HOLD_MS, SMALLEST } from './fleet.ts';
import {
  allAccount,
  ORGS,
  orgAccount,
  type PartitionReport,
  sinkOnCluster,
} from './partition-fleet.ts';

const [, , ports = '', seed = '0'] = process.argv;
const random = randomOf(Number(seed));
const { sink, client } = sinkOnCluster(ports);
let calls = 0;
let admitted = 0;
let settled = 0;

/** Whether the figures of a refusal say that it had to be. */
function isRight({ limit, committed, held, requested }: Refusal): boolean {
  const most = limit ?? Number.POSITIVE_INFINITY;
  return committed + held >= most || committed + held + requested > most;
}

async function call(org: string, amount: number): Promise<readonly Refusal[]> {
  calls += 1;
  const id = `${seed}-${process.pid}-${calls}`;
  // In whatever order: the partition comes first all the same.
  const accounts = [orgAccount(org), allAccount()];
  if (random(2) === 0) accounts.reverse();
  const claims = accounts.map((account) => ({ account, amount }));
  const answer = await sink.reserve({ id, claims, ttlMs: HOLD_MS });
  if (!answer.admitted) {
    for (const refusal of answer.refusals) {
      if (!isRight(refusal)) say({ type: 'false-denial', text: JSON.stringify(refusal), settled });
    }
    return answer.refusals;
  }
  admitted += 1;
  if (admitted === 1) {
    say({ type: 'begun', text: '', settled: 0 });
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
  const { status } = await sink.settle({ id, outcome: 'known', charges, details: { seed } });
  if (status === 'settled' || status === 'late') settled += actual;
  return [];
}

/** One of several callers in this process. */
async function caller(): Promise<void> {
  const open = new Set(ORGS);
  while (open.size > 0) {
    const [org = ''] = [...open].slice(random(open.size));
    const refusals = await call(org, SMALLEST + random(200));
    if (refusals.length === 0) continue;
    const least = await call(org, SMALLEST);
    if (least.some(({ kind }) => kind !== 'held')) open.delete(org);
    // What others hold may come back.
    else if (least.length > 0) await pause(20);
  }
}

function say(report: PartitionReport): void {
  process.send?.(report);
}

await Promise.all([caller(), caller(), caller(), caller()]);
await sink.close();
client.disconnect();
const done: PartitionReport = { type: 'done', text: '', settled };
process.send?.(done, () => process.disconnect());
