import { SqliteUsageSink } from '@hardcap/sqlite';
import { accountOf } from './account.ts';
import { PATIENT_MS } from './patience.ts';

/** Reserves an amount whenever it is told to, and says whether it was admitted. */
const [, , file = ''] = process.argv;
const sink = new SqliteUsageSink(file, { timeoutMs: PATIENT_MS });
const account = accountOf('org', 100);
let calls = 0;

process.on('message', async (amount: number) => {
  calls += 1;
  const id = `${process.pid}-${calls}`;
  const { admitted } = await sink.reserve({ id, claims: [{ account, amount }], ttlMs: 60_000 });
  process.send?.({ admitted });
});
