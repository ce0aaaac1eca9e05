import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { SqliteUsageSink } from '@hardcap/sqlite';
import type { Gate } from './gate.ts';
import { ACCOUNTS } from './sqlite-load.ts';

interface Measured {
  readonly entries: number;
  readonly seconds: number;
  /** The most that the process had resident. */
  readonly megabytes: number;
}

const ENTRIES = 1_000_000;
const WORKER = fileURLToPath(new URL('sqlite-verify-worker.ts', import.meta.url));

/** A store with a million settlements over three accounts each: the first by the sink, and copies. */
async function makeLedger(file: string): Promise<void> {
  const sink = new SqliteUsageSink(file);
  for (const [user, accounts] of ACCOUNTS.entries()) {
    const claims = accounts.map((account) => ({ account, amount: 1_000 }));
    await sink.reserve({ id: `user-${user}`, claims, ttlMs: 3_600_000 });
    const charges = claims.map(({ account, amount }) => ({ account: account.key, amount }));
    const details = { provider: 'openai', model: 'gpt-5.1', identity: { user: `u${user}` } };
    await sink.settle({ id: `user-${user}`, outcome: 'known', charges, details });
  }
  await sink.close();
  const database = new DatabaseSync(file);
  const users = ACCOUNTS.length;
  database.exec(`
    PRAGMA synchronous = OFF;
    BEGIN;
    WITH RECURSIVE n (n) AS (SELECT ${users} + 1 UNION ALL SELECT n + 1 FROM n WHERE n < ${ENTRIES})
    INSERT INTO entries (sequence, at, kind, subject, outcome, details)
      SELECT n, e.at, e.kind, 'call-' || n, e.outcome, e.details
      FROM n JOIN entries AS e ON e.sequence = 1 + n % ${users};
    INSERT INTO charges (entry, place, account, window, rule, slot, amount, held)
      SELECT e.sequence, c.place, c.account, c.window, c.rule, c.slot, c.amount, c.held
      FROM entries AS e JOIN charges AS c ON c.entry = 1 + e.sequence % ${users}
      WHERE e.sequence > ${users} ORDER BY e.sequence, c.place;
    UPDATE windows SET committed = s.amount, entries = s.charges
      FROM (SELECT window, sum(amount) AS amount, count(*) AS charges FROM charges GROUP BY window) AS s
      WHERE s.window = windows.id;
    COMMIT;
  `);
  database.close();
}

async function measured(file: string, task: 'verify' | 'entries'): Promise<Measured> {
  const [answer] = await once(fork(WORKER, [file, task]), 'message');
  const { entries } = answer as Measured;
  if (entries !== ENTRIES) throw new Error(`${entries} entries are not a million.`);
  return answer as Measured;
}

/** Proving, and reading, a ledger of a million entries. */
export async function sqliteVerifyGates(): Promise<Gate[]> {
  const folder = mkdtempSync(join(tmpdir(), 'hardcap-bench-'));
  try {
    const file = join(folder, 'ledger.db');
    await makeLedger(file);
    const verify = await measured(file, 'verify');
    const entries = await measured(file, 'entries');
    const against = 'nothing: a process of its own';
    const took = { atMost: 10, unit: 's', note: against };
    const memory = { atMost: 300, unit: 'MB', note: against };
    const what = 'sqlite: 1,000,000 entries';
    return [
      { what: `${what}, verify`, measured: verify.seconds, ...took },
      { what: `${what}, verify, resident memory`, measured: verify.megabytes, ...memory },
      { what: `${what}, read one by one, resident memory`, measured: entries.megabytes, ...memory },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
