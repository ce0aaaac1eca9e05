import { describe, expect, test } from 'vitest';
import type { Account, WindowSpec } from '../src/index.ts';
import { DAY, HOUR, MINUTE, NOON, SECOND, testClock } from './support/clock.ts';
import { accountOf, refusalsIn, SinkBench, TTL } from './support/sink.ts';

const MINUTE_BEFORE_MIDNIGHT = NOON + 12 * HOUR - MINUTE;

/** A minute before the day, the hour and the minute of UTC end together. */
function lateBench(): SinkBench {
  return new SinkBench({ clock: testClock(MINUTE_BEFORE_MIDNIGHT) });
}

const BOUNDED: [string, WindowSpec][] = [
  ['fixed', { fixed: '1h' }],
  ['calendar', { calendar: 'day' }],
];

describe('case C-33: a new window', () => {
  test.each(BOUNDED)('%s begins empty, with no job running', (_, window) => {
    const bench = lateBench();
    const account = accountOf('a', { window });
    bench.reserve('r1', [account, 100]);
    bench.settle('r1');
    bench.clock.advance(MINUTE - 1);
    const refusal = refusalsIn(bench.reserve('r2', [account, 1]))[0];
    const midnight = MINUTE_BEFORE_MIDNIGHT + MINUTE;
    expect(refusal).toMatchObject({ kind: 'spent', resetsAt: midnight, retryAfterMs: 1 });
    bench.clock.advance(1);
    expect(bench.reserve('r2', [account, 100]).admitted).toBe(true);
    expect(bench.read(account)).toMatchObject({ committed: 0, held: 100, denials: 0 });
  });

  test('case C-29: in a zone, at its own midnight, to the second', () => {
    // Midnight in Shanghai is 16:00 UTC.
    const bench = new SinkBench({ clock: testClock(NOON + 4 * HOUR - SECOND) });
    const shanghai = accountOf('a', { window: { calendar: 'day', timeZone: 'Asia/Shanghai' } });
    bench.reserve('r1', [shanghai, 100]);
    bench.settle('r1');
    const admitted = [0, SECOND - 1, 1, SECOND].map((ms, step) => {
      bench.clock.advance(ms);
      return bench.reserve(`r2-${step}`, [shanghai, 1]).admitted;
    });
    expect(admitted).toEqual([false, false, true, true]);
  });

  test('a total never begins anew', () => {
    const bench = new SinkBench();
    const total = accountOf('a');
    bench.reserve('r1', [total, 100]);
    bench.settle('r1');
    bench.clock.advance(1_000 * DAY);
    expect(refusalsIn(bench.reserve('r2', [total, 1]))[0]).toMatchObject({ resetsAt: null });
  });
});

describe('case C-36: a call across a boundary', () => {
  test.each(BOUNDED)(
    '%s, by default: the window pays in which it was admitted',
    async (_, window) => {
      const bench = lateBench();
      const account = accountOf('a', { window });
      bench.reserve('open', [account, 60]);
      bench.clock.advance(MINUTE);
      expect(bench.reserve('next', [account, 100]).admitted).toBe(true);
      const before = account.rule.window.at(MINUTE_BEFORE_MIDNIGHT).id;
      expect(bench.settle('open', { a: 70 })).toMatchObject({
        status: 'settled',
        charged: [{ window: before, amount: 70, held: 60 }],
        overshoot: [],
      });
      expect(bench.figures(account)).toEqual([0, 100]);
      expect((await bench.sink.verify()).differences).toEqual([]);
    },
  );

  test.each(BOUNDED)(
    '%s, attribute settle: the hold goes along, and the new window pays',
    async (_, window) => {
      const bench = lateBench();
      const account = accountOf('a', { window, attribute: 'settle' });
      bench.reserve('open', [account, 60]);
      bench.clock.advance(MINUTE);
      expect(refusalsIn(bench.reserve('next', [account, 41]))[0]).toMatchObject({
        kind: 'held',
        held: 60,
      });
      expect(bench.reserve('next', [account, 40]).admitted).toBe(true);
      const after = account.rule.window.at(bench.clock.now()).id;
      expect(bench.settle('open', { a: 50 })).toMatchObject({
        charged: [{ window: after, amount: 50 }],
      });
      expect(bench.figures(account)).toEqual([50, 40]);
      expect((await bench.sink.verify()).differences).toEqual([]);
    },
  );

  test('extending checks the window that will pay', () => {
    const bench = lateBench();
    const account = accountOf('a', { window: { calendar: 'day' } });
    bench.reserve('full', [account, 40]);
    bench.settle('full');
    bench.reserve('open', [account, 50]);
    bench.clock.advance(MINUTE);
    expect(bench.extend('open', [account, 60])).toMatchObject({ status: 'extended' });
    expect(refusalsIn(bench.extend('open', [account, 61]))[0]).toMatchObject({ committed: 40 });
    expect(bench.figures(account)).toEqual([0, 0]);
  });

  test.each(['reserve', 'settle'] as const)(
    'attribute %s: an expiry, too, and what replaces it',
    async (attribute) => {
      const bench = lateBench();
      const account = accountOf('a', { window: { calendar: 'day' }, attribute });
      bench.reserve('open', [account, 60]);
      bench.clock.advance(TTL);
      const isCarried = attribute === 'settle';
      expect(bench.figures(account)).toEqual([isCarried ? 60 : 0, 0]);
      bench.settle('open', { a: 25 });
      expect(bench.figures(account)).toEqual([isCarried ? 25 : 0, 0]);
      expect((await bench.sink.verify()).differences).toEqual([]);
    },
  );

  test('a hold expires in the window of its expiry, however late somebody looks', async () => {
    const bench = lateBench();
    const account = accountOf('a', { window: { calendar: 'day' }, attribute: 'settle' });
    bench.reserve('open', [account, 60]);
    bench.clock.advance(3 * DAY);
    expect(bench.figures(account)).toEqual([0, 0]);
    const expired = account.rule.window.at(MINUTE_BEFORE_MIDNIGHT + TTL).id;
    expect(bench.settle('open', { a: 70 })).toMatchObject({
      status: 'late',
      charged: [{ window: expired }],
    });
    expect(bench.figures(account)).toEqual([0, 0]);
    expect((await bench.sink.verify()).differences).toEqual([]);
  });
});

describe('rolling windows', () => {
  const rolling = accountOf('a', { window: { rolling: '1h', resolution: '10m' } });
  const spend = (bench: SinkBench, id: string, amount: number, account: Account = rolling) => {
    bench.reserve(id, [account, 0]);
    bench.settle(id, { a: amount });
  };

  test('let spend go slot by slot, never too early', () => {
    const bench = new SinkBench();
    spend(bench, 's1', 40);
    bench.clock.advance(9 * MINUTE);
    spend(bench, 's2', 10);
    bench.clock.advance(MINUTE);
    spend(bench, 's3', 50);
    const committed = [59, 1, 9, 1].map((minutes) => {
      bench.clock.advance(minutes * MINUTE);
      return bench.figures(rolling)[0];
    });
    expect(committed).toEqual([100, 50, 50, 0]);
  });

  test('a refusal says when enough will have gone', () => {
    const bench = new SinkBench();
    for (const id of ['s1', 's2', 's3']) {
      spend(bench, id, 30);
      bench.clock.advance(10 * MINUTE);
    }
    const wait = (asked: number) =>
      refusalsIn(bench.reserve(`ask-${asked}`, [rolling, asked]))[0]?.retryAfterMs;
    expect([11, 40, 41, 70, 71, 100, 101].map(wait)).toEqual([
      ...[40, 40, 50, 50, 60, 60].map((minutes) => minutes * MINUTE),
      null,
    ]);
    const { resetsAt } = refusalsIn(bench.reserve('ask', [rolling, 41]))[0] ?? {};
    expect(resetsAt).toBe(bench.clock.now() + 50 * MINUTE);
    bench.clock.advance(50 * MINUTE - 1);
    expect(bench.reserve('again', [rolling, 41]).admitted).toBe(false);
    bench.clock.advance(1);
    expect(bench.reserve('again', [rolling, 41]).admitted).toBe(true);
  });

  test.each([
    ['reserve', 0],
    ['settle', 30],
  ] as const)(
    'attribute %s: the slot pays in which a call was admitted, or settles',
    (attribute, left) => {
      const bench = new SinkBench();
      const account = accountOf('a', { window: { rolling: '1h', resolution: '10m' }, attribute });
      bench.clock.advance(9 * MINUTE);
      bench.reserve('open', [account, 60]);
      bench.clock.advance(MINUTE);
      expect(bench.figures(account)).toEqual([0, 60]);
      bench.settle('open', { a: 30 });
      expect(bench.figures(account)).toEqual([30, 0]);
      bench.clock.advance(60 * MINUTE);
      expect(bench.figures(account)).toEqual([left, 0]);
      bench.clock.advance(10 * MINUTE);
      expect(bench.figures(account)).toEqual([0, 0]);
    },
  );

  test('a charge whose slot has gone counts no more', async () => {
    const bench = new SinkBench();
    bench.reserve('open', [rolling, 60]);
    for (let beat = 0; beat < 80; beat += 1) {
      bench.clock.advance(MINUTE);
      bench.extend('open', [rolling, 60]);
    }
    expect(bench.figures(rolling)).toEqual([0, 60]);
    bench.settle('open');
    expect(bench.figures(rolling)).toEqual([0, 0]);
    expect((await bench.sink.verify()).differences).toEqual([]);
  });
});

describe('a clock that runs backwards', () => {
  test('stands still for the sink, which never returns to a window', () => {
    const bench = lateBench();
    const account = accountOf('a', { window: { calendar: 'day' } });
    bench.clock.advance(MINUTE);
    bench.reserve('r1', [account, 100]);
    bench.settle('r1');
    const at = bench.clock.now();
    bench.clock.advance(-2 * MINUTE);
    expect(bench.reserve('r2', [account, 1])).toMatchObject({ admitted: false, at });
    bench.clock.advance(2 * MINUTE - 1);
    expect(bench.reserve('r3', [account, 1])).toMatchObject({ admitted: false, at });
  });

  test('expires nothing early, and lengthens a hold by no more than the time it lost', () => {
    const bench = new SinkBench();
    const account = accountOf('a');
    bench.reserve('r1', [account, 60]);
    bench.clock.advance(-HOUR);
    expect(bench.figures(account)).toEqual([0, 60]);
    bench.clock.advance(HOUR + TTL - 1);
    expect(bench.figures(account)).toEqual([0, 60]);
    bench.clock.advance(1);
    expect(bench.figures(account)).toEqual([60, 0]);
  });
});
