import { describe, expect, test } from 'vitest';
import { type Budget, SinkUnavailableError } from '../src/index.ts';
import { admit, callOf, collect, denialFor, eventsOf, usdBudget } from './support/guard.ts';
import { journalPath } from './support/journal-files.ts';
import { ANN, cost, open, outageScene } from './support/outage-scene.ts';

const PLAIN = usdBudget('0.001', { per: ['user'] });
const VIP = { match: { user: 'ann' }, limit: { usd: '0.002' } };

describe('a guard that was made without exceptions takes them later', () => {
  test('other limits, identities that are exempt, and budgets in the shadow', async () => {
    const { guard, events } = outageScene([PLAIN]);
    const before = await admit(guard, callOf(100, ANN));
    await denialFor(guard, callOf(1, ANN));
    await guard.reconfigure({ budgets: [{ ...PLAIN, overrides: [VIP] }] });
    const after = await admit(guard, callOf(100, ANN));
    expect((await denialFor(guard, callOf(1, ANN))).refusals).toMatchObject([
      { limit: 2_000_000, limitFrom: 'override user=ann' },
    ]);
    await guard.reconfigure({ budgets: [{ ...PLAIN, mode: 'shadow' }] });
    await (await admit(guard, callOf(100, ANN))).release();
    expect(eventsOf(events, 'would-deny')).toHaveLength(1);
    await guard.reconfigure({ budgets: [{ ...PLAIN, exempt: [{ user: 'ann' }] }] });
    await (await admit(guard, callOf(500, ANN))).settle(cost(7));
    for (const call of [before, after]) await call.settle(cost(1_000_000));
    await guard.reconfigure({ budgets: [PLAIN] });
    expect((await denialFor(guard, callOf(1, ANN))).refusals).toMatchObject([
      { limit: 1_000_000, committed: 2_000_000, held: 0 },
    ]);
    expect((await guard.verify()).differences).toEqual([]);
  });

  test.each(['without a journal', 'with one'])(
    'what becomes of calls while the sink is away, %s; what waited to be sent goes its way',
    async (how) => {
      const journal = how === 'with one' ? { journal: journalPath() } : {};
      const { guard, sink, figures, memory } = outageScene([PLAIN], journal);
      const calls = [await admit(guard, callOf(10, ANN)), await admit(guard, callOf(20, ANN))];
      sink.lost = 'request';
      expect((await calls[0]?.settle(cost(1)))?.status).toBe('queued');
      await expect(guard.reserve(callOf(1, ANN))).rejects.toSatisfy(
        SinkUnavailableError.isInstance,
      );
      await guard.reconfigure({ budgets: [open('0.001')] });
      const without = await admit(guard, callOf(30, ANN));
      expect((await without.settle(cost(2))).status).toBe('queued');
      expect((await calls[1]?.settle(cost(4)))?.status).toBe('queued');
      sink.lost = null;
      expect(await guard.flush()).toEqual({ unsent: 0 });
      expect(await figures()).toEqual([7, 0]);
      expect(await memory.verify()).toMatchObject({ reservations: 0, entries: 3, differences: [] });
      await guard.close();
    },
  );

  test('and the terms of the latest, for what the sink has forgotten', async () => {
    const { guard, sink, memory } = outageScene([open('1')]);
    await guard.reconfigure({ budgets: [open('1'), open('1', { name: 'added' })] });
    sink.lost = 'reply';
    const call = await admit(guard, callOf(100, ANN));
    sink.lost = null;
    memory.release(call.id);
    await call.settle(cost(700_000));
    const [entry] = await collect(guard.ledger());
    expect(entry?.charges.map(({ account, amount }) => [account, amount])).toEqual([
      ['cap|user=ann', 700_000],
      ['added|user=ann', 700_000],
    ]);
  });

  test('in the order in which they were asked for, whatever has to be loaded for them', async () => {
    const { guard } = outageScene([PLAIN]);
    const terms: Budget[][] = [
      [{ ...PLAIN, overrides: [VIP] }],
      [usdBudget('3', { per: ['user'] })],
    ];
    await Promise.all(terms.map((budgets) => guard.reconfigure({ budgets })));
    expect(await guard.status(ANN.identity)).toMatchObject([{ limit: 3_000_000_000 }]);
    const refused = guard.reconfigure({ budgets: [{ ...PLAIN, limit: {} as never }] });
    await expect(refused).rejects.toThrow('one unit');
    await guard.reconfigure({ budgets: terms[0] as Budget[] });
    expect(await guard.status(ANN.identity)).toMatchObject([{ limit: 2_000_000 }]);
  });
});
