import { MemoryUsageSink, type SpendGuard, type UsageSink, type VerifyReport } from '@hardcap/core';
import { onTestFinished } from 'vitest';
import { TestRedis } from '../../packages/redis/test/support/test-redis.ts';
import { start } from '../processes.ts';
import { storeFile } from '../sqlite/store-file.ts';
import { openSink, runRounds, workerGuard } from './round-guard.ts';

const WORKERS = 8;
const SAMPLE_MS = 5;

/** What became of some rounds. Amounts in nano-USD. */
export interface Rounds {
  /** Calls admitted to all workers, by round. */
  readonly admitted: readonly number[];
  /** The most that was spent and held on one account, whenever somebody looked. */
  readonly most: number;
  /** What open calls hold in the end. */
  readonly held: number;
  readonly books: VerifyReport;
}

/** Calls admitted to one worker, by round. */
type Report = readonly number[];

/** Eight workers at once: processes of their own, where a store can be shared by processes. */
export async function eightWorkers(kind: string, rounds: number): Promise<Rounds> {
  if (kind === 'memory') return inOneProcess(rounds);
  const address = kind === 'SQLite' ? storeFile() : await redisUrl();
  const sink = openSink(kind, address);
  // Whoever opens a store first makes it; that is not what is raced for here.
  await sink.verify();
  const script = new URL('round-worker.ts', import.meta.url);
  const workers = Array.from({ length: WORKERS }, async () => {
    const { messages } = await start<Report>(script, kind, address, `${rounds}`).ended;
    return messages[0] ?? [];
  });
  return watched(sink, rounds, Promise.all(workers));
}

async function inOneProcess(rounds: number): Promise<Rounds> {
  const sink = new MemoryUsageSink();
  const workers = Array.from({ length: WORKERS }, () => runRounds(workerGuard(sink), rounds));
  return watched(sink, rounds, Promise.all(workers));
}

async function redisUrl(): Promise<string> {
  const redis = await TestRedis.start();
  onTestFinished(() => redis.stop());
  return `redis://127.0.0.1:${redis.server.port}`;
}

/** Looks at all accounts while the workers run, and once more when they have ended. */
async function watched(
  sink: UsageSink,
  rounds: number,
  workers: Promise<readonly Report[]>,
): Promise<Rounds> {
  const guard = workerGuard(sink);
  let isOver = false;
  const ended = workers.finally(() => {
    isOver = true;
  });
  let most = 0;
  while (!isOver) {
    most = Math.max(most, (await figures(guard, rounds)).most);
    await new Promise((resolve) => setTimeout(resolve, SAMPLE_MS));
  }
  const reports = await ended;
  const last = await figures(guard, rounds);
  const books = await guard.verify();
  await guard.close();
  const admitted = placesOf(rounds).map((round) =>
    sum(reports.map((report) => report[round] ?? 0)),
  );
  return { admitted, most: Math.max(most, last.most), held: last.held, books };
}

async function figures(
  guard: SpendGuard,
  rounds: number,
): Promise<{ readonly most: number; readonly held: number }> {
  const asked = placesOf(rounds).map((round) => guard.status({ round: `${round}` }));
  const accounts = (await Promise.all(asked)).flat();
  const most = Math.max(...accounts.map(({ committed, held }) => committed + held));
  return { most, held: sum(accounts.map(({ held }) => held)) };
}

function placesOf(rounds: number): number[] {
  return Array.from({ length: rounds }, (_, round) => round);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
