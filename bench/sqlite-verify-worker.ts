import { SqliteUsageSink } from '@hardcap/sqlite';

/**
 * Verifies a store, or reads its ledger, in a process of its own, so that the memory is its own:
 * `node sqlite-verify-worker.ts <file> verify|entries`.
 */
const [, , file = '', task] = process.argv;
const sink = new SqliteUsageSink(file);

async function entriesVerified(): Promise<number> {
  const { entries, differences } = await sink.verify();
  if (differences.length > 0) throw new Error('The benchmark made books that are wrong.');
  return entries;
}

async function entriesRead(): Promise<number> {
  let entries = 0;
  for await (const _ of sink.entries()) entries += 1;
  return entries;
}

const startedAt = performance.now();
const entries = await (task === 'verify' ? entriesVerified() : entriesRead());
const seconds = (performance.now() - startedAt) / 1e3;
process.send?.({ entries, seconds, megabytes: process.resourceUsage().maxRSS / 1024 });
await sink.close();
process.disconnect();
