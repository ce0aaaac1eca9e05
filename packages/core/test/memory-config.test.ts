import { describe, expect, test } from 'vitest';
import { DAY, HOUR } from './support/clock.ts';
import { accountOf, SinkBench } from './support/sink.ts';

/** The same account under terms that change while it is in use. */
const daily = accountOf('a', { window: { calendar: 'day' } });
const hourly = accountOf('a', { window: { fixed: '1h' } });
const total = accountOf('a');
const rolling = accountOf('a', { window: { rolling: '24h' } });

describe('a limit changed in the configuration', () => {
  test('acts with the next call, and keeps what was spent and held', () => {
    const bench = new SinkBench();
    bench.reserve('r1', [daily, 60]);
    bench.settle('r1');
    bench.reserve('r2', [daily, 20]);
    const lowered = accountOf('a', { window: { calendar: 'day' }, limit: 70 });
    const raised = accountOf('a', { window: { calendar: 'day' }, limit: 200 });
    expect(bench.reserve('r3', [lowered, 1])).toMatchObject({
      refusals: [{ limit: 70, committed: 60, held: 20, kind: 'held' }],
    });
    expect(bench.reserve('r3', [raised, 120]).admitted).toBe(true);
    expect(bench.reserve('r4', [raised, 1]).admitted).toBe(false);
  });

  test('decides what is an overshoot', () => {
    const bench = new SinkBench();
    bench.reserve('r1', [daily, 60]);
    bench.read(accountOf('a', { window: { calendar: 'day' }, limit: 70 }));
    expect(bench.settle('r1', { a: 75 })).toMatchObject({ overshoot: [{ amount: 5 }] });
  });
});

describe('a window changed in the configuration', () => {
  test('begins empty, and is found as it was left when it is changed back', async () => {
    const bench = new SinkBench();
    bench.reserve('r1', [daily, 60]);
    bench.settle('r1');
    expect(bench.reserve('r2', [hourly, 100]).admitted).toBe(true);
    bench.settle('r2');
    expect([bench.figures(daily), bench.figures(hourly)]).toEqual([
      [60, 0],
      [100, 0],
    ]);
    expect((await bench.sink.verify()).differences).toEqual([]);
  });

  test.each([
    ['a day', daily],
    ['a total', total],
  ])('%s keeps its spend when its last open call settles in the meantime', async (_, account) => {
    const bench = new SinkBench();
    bench.reserve('r1', [account, 60]);
    bench.reserve('r2', [hourly, 5]);
    bench.settle('r1', { a: 50 });
    expect(bench.figures(hourly)).toEqual([0, 5]);
    expect(bench.figures(account)).toEqual([50, 0]);
    expect((await bench.sink.verify()).differences).toEqual([]);
  });

  test('a rolling window, too, for as long as its spend lasts', async () => {
    const bench = new SinkBench();
    bench.reserve('r1', [rolling, 60]);
    bench.settle('r1');
    bench.figures(hourly);
    bench.clock.advance(HOUR);
    bench.figures(hourly);
    expect(bench.figures(rolling)).toEqual([60, 0]);
    bench.figures(hourly);
    bench.clock.advance(2 * DAY);
    bench.figures(hourly);
    expect(bench.figures(rolling)).toEqual([0, 0]);
    expect((await bench.sink.verify()).differences).toEqual([]);
  });

  test('open holds stay with the window that they were made in', () => {
    const bench = new SinkBench();
    bench.reserve('r1', [daily, 60]);
    expect([bench.figures(hourly), bench.figures(daily)]).toEqual([
      [0, 0],
      [0, 60],
    ]);
    bench.figures(hourly);
    bench.settle('r1');
    expect([bench.figures(hourly), bench.figures(daily)]).toEqual([
      [0, 0],
      [60, 0],
    ]);
  });
});
