import { once } from 'node:events';
import { SqliteUsageSink } from '@hardcap/sqlite';
import { accountOf } from './account.ts';
import { PATIENT_MS } from './patience.ts';

/** Once it is told to, opens a store, spends 1 and closes it: `node opener-worker.ts <file>`. */
const [, , file = ''] = process.argv;
process.send?.('ready');
await once(process, 'message');
const sink = new SqliteUsageSink(file, { timeoutMs: PATIENT_MS });
const account = accountOf('org', 1_000);
const id = `by-${process.pid}`;
await sink.reserve({ id, claims: [{ account, amount: 1 }], ttlMs: 60_000 });
const charges = [{ account: 'org', amount: 1 }];
await sink.settle({ id, outcome: 'known', charges, details: {} });
await sink.close();
process.send?.('spent');
process.disconnect();
