import { describe, expect, test } from 'vitest';
import { admit, benchOf, callOf, denialFor, usdBudget } from './support/guard.ts';
import { ANN, cost, open, outageScene } from './support/outage-scene.ts';

const SELECTOR = { budget: 'cap', identity: ANN.identity };

describe('case C-48: what is known of an account counts while the sink is away', () => {
  test('a block of the configuration', async () => {
    const { guard, sink } = outageScene([open('1', { block: true })]);
    sink.lost = 'request';
    expect((await denialFor(guard, callOf(1, ANN))).refusals).toMatchObject([{ kind: 'blocked' }]);
  });

  test('a block by hand, until it is lifted, however many windows begin', async () => {
    const { guard, sink, clock } = outageScene([open('1', { window: { fixed: '1h' } })]);
    await guard.block(SELECTOR);
    sink.lost = 'request';
    clock.advance(5 * 3_600_000);
    expect((await denialFor(guard, callOf(1, ANN))).refusals).toMatchObject([{ kind: 'blocked' }]);
    await admit(guard, callOf(1, { identity: { user: 'bob' } }));
    await guard.unblock(SELECTOR);
    await admit(guard, callOf(1, ANN));
  });

  test('a block of another process, once it was seen', async () => {
    const scene = outageScene([open('1')]);
    const other = benchOf([open('1')], { sink: scene.memory, clock: scene.clock });
    await other.guard.block(SELECTOR);
    await scene.guard.status(ANN.identity);
    scene.sink.lost = 'request';
    await denialFor(scene.guard, callOf(1, ANN));
  });

  test('case C-93: a top-up after a denial, as far as it goes', async () => {
    const { guard, sink } = outageScene([open('0.001')]);
    await (await admit(guard, callOf(100, ANN))).settle(cost(1_000_000));
    await denialFor(guard, callOf(50, ANN));
    sink.lost = 'request';
    await guard.topUp(SELECTOR, { usd: '0.0001' });
    expect((await denialFor(guard, callOf(50, ANN))).refusals).toMatchObject([
      { kind: 'too-large', limit: 1_100_000, committed: 1_000_000 },
    ]);
    await guard.topUp(SELECTOR, { usd: '1' });
    await admit(guard, callOf(50, ANN));
  });

  test('a denial of a call that another budget would have refused without the sink', async () => {
    const large = usdBudget('9', { name: 'large', match: { model: 'large' } });
    const { guard, sink } = outageScene([open('0.001'), large]);
    await (await admit(guard, callOf(100, ANN))).settle(cost(1_000_000));
    await denialFor(guard, callOf(1, { ...ANN, model: 'large' }));
    sink.lost = 'request';
    await denialFor(guard, callOf(1, ANN));
  });
});

describe('what is over by then does not', () => {
  test.each(['settle', 'release'] as const)(
    'a denial only for what an open call held, which has ended (%s)',
    async (how) => {
      const { guard, sink } = outageScene([open('0.001')]);
      const call = await admit(guard, callOf(100, ANN));
      await denialFor(guard, callOf(1, ANN));
      await (how === 'settle' ? call.settle(cost(0)) : call.release());
      sink.lost = 'request';
      await admit(guard, callOf(1, ANN));
    },
  );

  test('what a call took of the emergency limit that was not sent', async () => {
    const { guard, sink } = outageScene([open('1', { emergencyLimit: { usd: '0.002' } })]);
    sink.lost = 'request';
    const call = await admit(guard, callOf(200, ANN));
    await denialFor(guard, callOf(1, ANN));
    await call.release();
    await admit(guard, callOf(200, ANN));
  });
});
