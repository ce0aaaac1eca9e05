import type { VerifyReport } from '@hardcap/core';
import type { EntryReply } from './entry-text.ts';
import type { ScriptRunner } from './script-runner.ts';
import { StoreLostError } from './store-lost-error.ts';
import type { StoreSession } from './store-session.ts';
import { verifyBooks } from './verify-books.ts';

/**
 * Restores counters from the ledger. Where the store was lost nobody goes on with it until that is done.
 *
 * @param isPart ids begin with the place of a part
 */
export async function rebuildBooks(session: StoreSession, isPart: boolean): Promise<VerifyReport> {
  const alone = await session.stop();
  const report = await verifyBooks(alone ?? session, { repair: true, isPart });
  if (alone !== null) await session.resume(alone);
  return report;
}

/**
 * The same without anybody who decides: only where the ledger is whole, as far as can be seen.
 *
 * @param enteredAt when this client last wrote an entry, which must be there
 * @throws StoreLostError that says why it cannot be rebuilt.
 */
export async function rebuildLost(
  session: StoreSession,
  runner: ScriptRunner,
  enteredAt: number,
): Promise<void> {
  const oldest = await edgeOf(runner, 'XRANGE', '-', '+');
  const latest = await edgeOf(runner, 'XREVRANGE', '+', '-');
  if (oldest === null || latest === null) throw new StoreLostError('Its ledger is lost, too.');
  // Entries are numbered from 1 on, and the oldest are dropped first.
  if (oldest.count !== 1) throw new StoreLostError('Its oldest ledger entries had been dropped.');
  if (latest.at < enteredAt) throw new StoreLostError('The end of its ledger is lost, too.');
  await rebuildBooks(session, false);
}

async function edgeOf(
  runner: ScriptRunner,
  command: 'XRANGE' | 'XREVRANGE',
  ...range: readonly string[]
): Promise<{ readonly at: number; readonly count: number } | null> {
  const reply = await runner.command(command, runner.ledger, ...range, 'COUNT', 1);
  const [entry] = reply as readonly EntryReply[];
  if (entry === undefined) return null;
  const [at, count] = entry[0].split('-');
  return { at: Number(at), count: Number(count) };
}
