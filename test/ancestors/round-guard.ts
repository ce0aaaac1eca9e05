import { createSpendGuard, type SpendGuard, type UsageSink } from '@hardcap/core';
import { loadConfig } from '@hardcap/core/config';
import { createPriceBook } from '@hardcap/prices';
import { RedisUsageSink } from '@hardcap/redis';
import { SqliteUsageSink } from '@hardcap/sqlite';

/** 1,000,000 nano-USD for each round, of which 142 calls of 7,000 fit. */
const CONFIG = `
budgets:
  - { name: guard, per: [round], limit: { usd: "0.001" }, window: total }
estimate: { fixed: { usd: "0.000007" } }
`;
const COST_NANO_USD = 7_000;
/** Each worker asks for so many in a round: 200 together, which is more than fit. */
const ASKED = 25;
const PATIENT_MS = 20_000;

/** A guard of one worker. */
export function workerGuard(sink: UsageSink): SpendGuard {
  const prices = createPriceBook({ overrides: { 'acme/large': { input: '1', output: '10' } } });
  return createSpendGuard({ ...loadConfig(CONFIG), sink, prices, timeoutMs: PATIENT_MS });
}

/** Asks for more than fits, round after round; how many were admitted in each. */
export async function runRounds(guard: SpendGuard, rounds: number): Promise<number[]> {
  const admitted: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const calls = Array.from({ length: ASKED }, () => attempt(guard, round));
    admitted.push((await Promise.all(calls)).filter((wasAdmitted) => wasAdmitted).length);
  }
  return admitted;
}

async function attempt(guard: SpendGuard, round: number): Promise<boolean> {
  const identity = { round: `${round}` };
  const request = { identity, provider: 'acme', model: 'large', inputTokens: 1 };
  const reservation = await guard.reserve(request);
  if (!reservation.admitted) return false;
  await reservation.call.settle({ outcome: 'known', costNanoUsd: COST_NANO_USD });
  return true;
}

/** Opens the sink of one more worker. @param address a file, or the URL of a server */
export function openSink(kind: string, address: string): UsageSink {
  return kind === 'SQLite'
    ? new SqliteUsageSink(address, { timeoutMs: PATIENT_MS })
    : new RedisUsageSink(address, { timeoutMs: PATIENT_MS });
}
