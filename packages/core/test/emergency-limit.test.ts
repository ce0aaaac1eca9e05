import { describe, expect, test } from 'vitest';
import { admit, callOf, denialFor } from './support/guard.ts';
import { ANN, cost, open, outageScene, TEXT } from './support/outage-scene.ts';

describe('an emergency limit', () => {
  const limited = open('1', { emergencyLimit: { usd: '0.002' } });

  test('case C-48: bounds what each account may spend without the sink', async () => {
    const { guard, sink } = outageScene([limited]);
    sink.lost = 'request';
    const first = await admit(guard, callOf(100, ANN));
    await admit(guard, callOf(100, ANN));
    expect((await denialFor(guard, callOf(1, ANN))).refusals).toMatchObject([
      {
        budget: 'cap',
        limit: 2_000_000,
        limitFrom: 'emergencyLimit',
        held: 2_000_000,
        kind: 'held',
      },
    ]);
    await admit(guard, callOf(1, { identity: { user: 'bob' } }));
    await first.settle(cost(400_000));
    await admit(guard, callOf(60, ANN));
    expect((await denialFor(guard, callOf(1, ANN))).refusals).toMatchObject([
      { committed: 400_000, held: 1_600_000 },
    ]);
  });

  test('is free again once the sink knows what was spent', async () => {
    const { guard, sink } = outageScene([limited]);
    sink.lost = 'request';
    await (await admit(guard, callOf(200, ANN))).settle(cost(2_000_000));
    await denialFor(guard, callOf(1, ANN));
    sink.lost = null;
    await guard.flush();
    sink.lost = 'request';
    await admit(guard, callOf(200, ANN));
  });

  test('counts what nobody tells the sink any more as long as it is away, and no longer', async () => {
    const { guard, sink, figures } = outageScene([limited], { unsentLimit: 0 });
    sink.lost = 'request';
    const call = await admit(guard, callOf(200, ANN));
    await expect(call.settle(cost(2_000_000))).rejects.toThrow('failed to settle');
    await denialFor(guard, callOf(1, ANN));
    sink.lost = null;
    await (await admit(guard, callOf(1, { identity: { user: 'bob' } }))).release();
    sink.lost = 'request';
    await (await admit(guard, callOf(200, ANN))).release().catch(() => {});
    sink.lost = null;
    expect((await call.settle(cost(1))).status).toBe('settled');
    expect(await figures()).toEqual([2_000_000, 0]);
  });

  test('of parallel calls admits what fits', async () => {
    const { guard, sink } = outageScene([limited]);
    sink.lost = 'request';
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => guard.reserve(callOf(10, ANN))),
    );
    expect(answers.filter(({ admitted }) => admitted)).toHaveLength(20);
  });

  test('a stream goes on without the sink, up to it', async () => {
    const { guard, sink, figures } = outageScene([open('1', { emergencyLimit: { usd: '0.02' } })], {
      estimate: 'none',
    });
    const call = await admit(guard, callOf(10_000, ANN));
    expect(await call.meter({ text: TEXT })).toBe(true);
    sink.lost = 'request';
    expect(await call.meter({ text: TEXT })).toBe(true);
    let passed = 0;
    while ((await call.meter({ text: TEXT })) && passed < 100) passed += 1;
    expect(passed).toBeGreaterThan(0);
    expect(passed).toBeLessThan(10);
    expect(call.stopReason).toMatchObject({
      denial: { refusals: [{ limitFrom: 'emergencyLimit' }] },
    });
    sink.lost = null;
    await call.settle(cost(5_000_000));
    expect(await figures()).toEqual([5_000_000, 0]);
  });
});
