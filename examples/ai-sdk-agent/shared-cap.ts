import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { heading } from './call-table.ts';
import type { DemoProvider } from './provider.ts';
import { compareSharedBooks, holdsExpired } from './shared-books.ts';
import { CAP, teamGuard } from './team-guard.ts';
import { runTeam } from './team-processes.ts';

const WORKER = fileURLToPath(new URL('team-worker.ts', import.meta.url));

/**
 * Three processes under one cap in a SQLite file; one of them is killed in the middle of a call.
 * False when the books do not agree.
 */
export async function sharedCap(provider: DemoProvider): Promise<boolean> {
  heading(`Three processes, one SQLite file, one cap of $${CAP}`);
  const folder = mkdtempSync(join(tmpdir(), 'hardcap-demo-'));
  const file = join(folder, 'usage.db');
  const guard = teamGuard(file);
  const earlier = provider.books?.exchanges.length ?? 0;
  try {
    await runTeam(WORKER, [file, provider.baseUrl ?? '']);
    await holdsExpired(guard);
    heading('The books of the file');
    const exchanges = provider.books?.exchanges.slice(earlier) ?? null;
    return await compareSharedBooks(guard, CAP, exchanges);
  } finally {
    await guard.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
