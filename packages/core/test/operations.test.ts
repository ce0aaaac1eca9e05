import { expect, test } from 'vitest';
import { admit, benchOf, callOf, collect, usageOf, usdBudget } from './support/guard.ts';

const SETTLED = { outcome: 'known', usage: usageOf({ output: 50 }) } as const;

test('case C-78: what is sent twice is paid twice and known as one operation; what is told twice is paid once', async () => {
  const { guard } = benchOf([usdBudget('1')]);
  for (const attempt of [1, 2]) {
    const call = await admit(guard, callOf(50, { operationId: 'op', attempt }));
    await call.settle(SETTLED);
    expect(await call.settle(SETTLED)).toMatchObject({ status: 'already-resolved' });
    await call.release();
  }
  const unnamed = await admit(guard, callOf(50));
  await unnamed.settle(SETTLED);
  const entries = await collect(guard.ledger());
  expect(entries.map(({ operationId, attempt }) => [operationId, attempt])).toEqual([
    ['op', 1],
    ['op', 2],
    [undefined, undefined],
  ]);
  expect(await guard.status()).toMatchObject([{ committed: 3 * 500_000, held: 0 }]);
});
