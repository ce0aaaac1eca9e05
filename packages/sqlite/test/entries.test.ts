import { describe, expect, test } from 'vitest';
import { accountOf, MINUTE, NOON, SqliteBench } from './support/sqlite-bench.ts';

const [a, b] = [accountOf('a'), accountOf('b')];

/** A thousand entries, each a minute after the other; every tenth is of another account. */
async function longLedger(): Promise<SqliteBench> {
  const bench = new SqliteBench();
  for (let number = 0; number < 1_000; number += 1) {
    await bench.spend(number % 10 === 0 ? b : a, 1, { number });
    bench.now += MINUTE;
  }
  return bench;
}

const numbers = (entries: readonly { readonly details: Readonly<Record<string, unknown>> }[]) =>
  entries.map(({ details }) => details['number']);

describe('entries over many pages', () => {
  test('are all there, in order, whatever is asked for', async () => {
    const bench = await longLedger();
    const all = Array.from({ length: 1_000 }, (_, number) => number);
    expect(numbers(await bench.entries())).toEqual(all);
    const tens = all.filter((number) => number % 10 === 0);
    expect(numbers(await bench.entries({ account: 'b' }))).toEqual(tens);
    expect(numbers(await bench.entries({ budget: 'b' }))).toEqual(tens);
    const others = all.filter((number) => number % 10 !== 0);
    expect(numbers(await bench.entries({ account: 'a' }))).toEqual(others);
    const from = NOON + 305 * MINUTE;
    const to = NOON + 905 * MINUTE;
    expect(numbers(await bench.entries({ from, to }))).toEqual(all.slice(305, 905));
    const between = tens.filter((number) => number >= 305 && number < 905);
    expect(numbers(await bench.entries({ account: 'b', from, to }))).toEqual(between);
    expect(await bench.entries({ account: 'nobody' })).toEqual([]);
    expect(await bench.entries({ from: bench.now })).toEqual([]);
    expect(await bench.entries({ to: NOON })).toEqual([]);
  });

  test('settlements and adjustments of an account keep their order across pages', async () => {
    const bench = new SqliteBench();
    const ids: string[] = [];
    for (let number = 1; number <= 700; number += 1) {
      const isAdjustment = number % 3 === 0;
      if (isAdjustment) await bench.adjust(a, { type: 'unblock' });
      else await bench.spend(a, 1);
      ids.push(`${isAdjustment ? 'a' : 'r'}${number}`);
    }
    expect((await bench.entries({ account: 'a' })).map(({ id }) => id)).toEqual(ids);
  });

  test('are those that were there when reading began, also where others are dropped', async () => {
    const bench = await longLedger();
    const seen: unknown[] = [];
    for await (const { details } of bench.sink.entries()) {
      seen.push(details['number']);
      if (seen.length === 1) await bench.spend(a, 1, { number: 'late' });
      if (seen.length === 300) await bench.sink.pruneLedger({ olderThan: NOON + 600 * MINUTE });
    }
    // What was read of a page stays; the rest of the pages comes from what is left.
    expect(seen).not.toContain('late');
    expect(seen.slice(0, 512)).toEqual(Array.from({ length: 512 }, (_, number) => number));
    expect(seen.slice(512)).toEqual(Array.from({ length: 400 }, (_, number) => number + 600));
  });
});
