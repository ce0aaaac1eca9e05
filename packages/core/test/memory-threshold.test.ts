import { describe, expect, test } from 'vitest';
import { HOUR } from './support/clock.ts';
import { accountOf, crossedIn, SinkBench, TTL } from './support/sink.ts';

const WARN = { thresholds: [500_000, 800_000, 1_000_000] };
const a = accountOf('a', WARN);

let calls = 0;

/** Reserves and settles an amount; the thresholds that its settlement crossed. */
function spend(bench: SinkBench, amount: number, account = a): string[] {
  calls += 1;
  const id = `call-${calls}`;
  bench.reserve(id, [account, 0]);
  return crossedIn(bench.settle(id, { [account.key]: amount }).notices);
}

describe('case C-99: thresholds', () => {
  test('each is noticed once, when settled spend reaches it', () => {
    const bench = new SinkBench();
    const crossed = [49, 1, 29, 1, 19, 1].map((amount) => spend(bench, amount));
    expect(crossed).toEqual([[], ['a 0.5'], [], ['a 0.8'], [], ['a 1']]);
  });

  test('one charge notices all that it jumps: from 10 % to 120 %', () => {
    const bench = new SinkBench();
    spend(bench, 10);
    expect(spend(bench, 110)).toEqual(['a 0.5', 'a 0.8', 'a 1']);
    expect(bench.reserve('next', [a, 1]).admitted).toBe(false);
  });

  test('say what was reached, and when', () => {
    const bench = new SinkBench();
    bench.reserve('r1', [a, 60]);
    expect(bench.settle('r1').notices).toEqual([
      {
        type: 'threshold-crossed',
        account: 'a',
        budget: 'a',
        unit: 'tokens',
        threshold: 0.5,
        committed: 60,
        limit: 100,
        window: { id: 'total', startsAt: null, endsAt: null },
        at: bench.clock.now(),
      },
    ]);
  });

  test('count settled spend, not holds', () => {
    const bench = new SinkBench();
    expect(crossedIn(bench.reserve('r1', [a, 100]).notices)).toEqual([]);
    expect(crossedIn(bench.settle('r1', { a: 10 }).notices)).toEqual([]);
  });

  test('count an expired hold, and tell whoever calls next', () => {
    const bench = new SinkBench();
    bench.reserve('r1', [a, 90]);
    bench.clock.advance(TTL);
    expect(crossedIn(bench.reserve('r2', [a, 1]).notices)).toEqual(['a 0.5', 'a 0.8']);
    expect(crossedIn(bench.reserve('r3', [a, 1]).notices)).toEqual([]);
  });

  test('case C-97: a hundred calls that end at once cross each threshold once', () => {
    const bench = new SinkBench();
    for (let index = 0; index < 100; index += 1) bench.reserve(`r${index}`, [a, 1]);
    const crossed = Array.from({ length: 100 }, (_, index) =>
      crossedIn(bench.settle(`r${index}`).notices),
    );
    expect(crossed.flat()).toEqual(['a 0.5', 'a 0.8', 'a 1']);
  });

  test('are of one account: another one of the budget crosses its own', () => {
    const bench = new SinkBench();
    const [ann, bob] = ['ann', 'bob'].map((user) => ({ ...a, key: `a|user=${user}` }));
    expect([spend(bench, 50, ann), spend(bench, 50, ann), spend(bench, 50, bob)]).toEqual([
      ['a 0.5'],
      ['a 0.8', 'a 1'],
      ['a 0.5'],
    ]);
  });

  test('are not noticed again after a refund, a reset or a raised limit of the same window', async () => {
    const bench = new SinkBench();
    spend(bench, 60);
    await bench.adjust(a, { type: 'reset' });
    expect(spend(bench, 60)).toEqual([]);
    await bench.adjust(a, { type: 'top-up', amount: 100 });
    expect(spend(bench, 100)).toEqual(['a 0.8']);
  });

  test('are measured on the limit in force', async () => {
    const bench = new SinkBench();
    await bench.adjust(a, { type: 'limit', limit: 1_000, until: null });
    expect(spend(bench, 499)).toEqual([]);
    expect(spend(bench, 1)).toEqual(['a 0.5']);
    const open = accountOf('open', { ...WARN, limit: null });
    expect(spend(bench, 1e6, open)).toEqual([]);
  });

  test('round up where a share is no whole number', () => {
    const bench = new SinkBench();
    const odd = accountOf('odd', { limit: 3, thresholds: [500_000, 1_000_000] });
    expect([spend(bench, 1, odd), spend(bench, 1, odd), spend(bench, 1, odd)]).toEqual([
      [],
      ['odd 0.5'],
      ['odd 1'],
    ]);
    const vast = accountOf('vast', { limit: 9e15, thresholds: [333_333, 1_000_000] });
    expect(spend(bench, 2_999_997_000_000_000 - 1, vast)).toEqual([]);
    expect(spend(bench, 1, vast)).toEqual(['vast 0.333333']);
  });
});

describe('thresholds of windows', () => {
  test('are noticed once in each', () => {
    const bench = new SinkBench();
    const hourly = accountOf('hourly', { ...WARN, window: { fixed: '1h' } });
    const crossed = [0, 1, 2].map(() => {
      bench.clock.advance(HOUR);
      return [...spend(bench, 60, hourly), ...spend(bench, 10, hourly)];
    });
    expect(crossed).toEqual([['hourly 0.5'], ['hourly 0.5'], ['hourly 0.5']]);
  });

  test('of a rolling one are noticed again once spend has fallen below them', () => {
    const bench = new SinkBench();
    const rolling = accountOf('rolling', { ...WARN, window: { rolling: '1h', resolution: '1m' } });
    expect(spend(bench, 60, rolling)).toEqual(['rolling 0.5']);
    bench.clock.advance(HOUR / 2);
    expect(spend(bench, 10, rolling)).toEqual([]);
    bench.clock.advance(HOUR / 2 + 60_000);
    expect(spend(bench, 30, rolling)).toEqual([]);
    expect(spend(bench, 10, rolling)).toEqual(['rolling 0.5']);
  });

  test('of a window that is over are those of what it had spent', () => {
    const bench = new SinkBench();
    const hourly = accountOf('hourly', { ...WARN, window: { fixed: '1h' } });
    bench.clock.advance(HOUR - TTL / 2);
    bench.reserve('late', [hourly, 40]);
    spend(bench, 30, hourly);
    bench.clock.advance(TTL / 2);
    expect(spend(bench, 20, hourly)).toEqual([]);
    expect(crossedIn(bench.settle('late').notices)).toEqual(['hourly 0.5']);
  });
});
