import { MemoryUsageSink, type UsageSink, type VerifyReport } from '@hardcap/core';
import { onTestFinished } from 'vitest';
import { TestRedis } from '../../packages/redis/test/support/test-redis.ts';
import { start } from '../processes.ts';
import { storeFile } from '../sqlite/store-file.ts';
import { openSink, runRounds, workerGuard } from './round-guard.ts';

const WORKERS = 8;

/** What became of some rounds. */
export interface Rounds {
  /** Calls admitted to all workers, by round. */
  readonly admitted: readonly number[];
  /** Nano-USD of open holds on all accounts. */
  readonly held: number;
  readonly books: VerifyReport;
}

/** Eight workers at once: processes of their own, where a store can be shared by processes. */
export async function eightWorkers(kind: string, rounds: number): Promise<Rounds> {
  if (kind === 'memory') return inOneProcess(rounds);
  const address = kind === 'SQLite' ? storeFile() : await redisUrl();
  const sink = openSink(kind, address);
  // Whoever opens a store first makes it; that is not what is raced for here.
  await sink.verify();
  const script = new URL('round-worker.ts', import.meta.url);
  const workers = Array.from({ length: WORKERS }, () =>
    start<number[]>(script, kind, address, `${rounds}`),
  );
  const ended = await Promise.all(workers.map((worker) => worker.ended));
  return summed(
    ended.map(({ messages }) => messages[0] ?? []),
    sink,
    rounds,
  );
}

async function inOneProcess(rounds: number): Promise<Rounds> {
  const sink = new MemoryUsageSink();
  const guards = Array.from({ length: WORKERS }, () => workerGuard(sink));
  return summed(await Promise.all(guards.map((guard) => runRounds(guard, rounds))), sink, rounds);
}

async function redisUrl(): Promise<string> {
  const redis = await TestRedis.start();
  onTestFinished(() => redis.stop());
  return `redis://127.0.0.1:${redis.server.port}`;
}

async function summed(
  reports: readonly (readonly number[])[],
  sink: UsageSink,
  rounds: number,
): Promise<Rounds> {
  const guard = workerGuard(sink);
  const places = Array.from({ length: rounds }, (_, round) => round);
  const status = await Promise.all(places.map((round) => guard.status({ round: `${round}` })));
  const books = await guard.verify();
  await guard.close();
  return {
    admitted: places.map((round) => sum(reports.map((report) => report[round] ?? 0))),
    held: sum(status.flat().map(({ held }) => held)),
    books,
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
