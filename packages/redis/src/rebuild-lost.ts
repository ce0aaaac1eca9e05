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
  const options = { repair: true, isLost: alone !== null, isPart };
  const report = await verifyBooks(alone ?? session, options);
  if (alone !== null) await session.resume(alone);
  return report;
}

/** Times on the server's clock. */
export interface KnownBefore {
  /** When the store was last there; without end where the client has just come. */
  readonly heardAt: number;
  /** When this client last wrote an entry, which must be there; 0 where it has written none. */
  readonly enteredAt: number;
}

/**
 * The same without anybody who decides: only where the ledger is whole, as far as can be seen.
 *
 * @param before what this client knows of the store that was lost
 * @throws StoreLostError that says why it cannot be rebuilt.
 */
export async function rebuildLost(
  session: StoreSession,
  runner: ScriptRunner,
  { heardAt, enteredAt }: KnownBefore,
): Promise<void> {
  const oldest = await firstOf(runner, '-', '+');
  if (oldest === null) throw new StoreLostError('Its ledger is lost, too.');
  // Entries are numbered from 1 on, and the oldest are dropped first.
  if (oldest.count !== 1) throw new StoreLostError('Its oldest ledger entries had been dropped.');
  // One that was begun after the loss begins with 1, too.
  if (oldest.at > heardAt) throw new StoreLostError('Its ledger was begun anew.');
  if (!(await hasEntryOf(runner, enteredAt))) {
    throw new StoreLostError('The end of its ledger is lost, too.');
  }
  await rebuildBooks(session, false);
}

async function hasEntryOf(runner: ScriptRunner, enteredAt: number): Promise<boolean> {
  return enteredAt === 0 || (await firstOf(runner, `${enteredAt}`, `${enteredAt}`)) !== null;
}

async function firstOf(
  runner: ScriptRunner,
  ...[from, to]: readonly [from: string, to: string]
): Promise<{ readonly at: number; readonly count: number } | null> {
  const reply = await runner.command('XRANGE', runner.ledger, from, to, 'COUNT', 1);
  const [entry] = reply as readonly EntryReply[];
  if (entry === undefined) return null;
  const [at, count] = entry[0].split('-');
  return { at: Number(at), count: Number(count) };
}
