import { expect, onTestFinished, test } from 'vitest';
import type { Do } from '../src/books.ts';
import { Store } from '../src/store.ts';
import { verifyLedger } from '../src/verify-ledger.ts';
import { accountOf, MINUTE, SqliteBench } from './support/sqlite-bench.ts';

test('what is dropped while the ledger is added up is added up once', async () => {
  const bench = new SqliteBench();
  const account = accountOf('a');
  for (let calls = 0; calls < 4; calls += 1) await bench.spend(account, 10);
  bench.now += MINUTE;
  const options = { now: () => bench.now, synchronous: 'normal', rememberedMs: MINUTE } as const;
  const store = new Store(bench.file, options);
  onTestFinished(() => store.close());
  let looks = 0;
  let dropped = 0;
  const read: Do = async (work) => {
    looks += 1;
    // The first begins, the second adds up, the third compares.
    if (looks === 3) ({ dropped } = await bench.sink.pruneLedger({ olderThan: bench.now }));
    return store.read(work);
  };
  expect(await verifyLedger({ read })).toMatchObject({ entries: 4, differences: [] });
  expect(dropped).toBe(3);
});
