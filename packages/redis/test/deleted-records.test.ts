import type { Difference, VerifyReport } from '@hardcap/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inJson } from '../src/account-text.ts';
import { RichStore } from './support/rich-store.ts';
import { tamperFigure } from './support/tamper.ts';
import { TestRedis } from './support/test-redis.ts';

const redis = await TestRedis.start();
const owner = redis.client();

afterAll(() => redis.stop());

const STORES: readonly (readonly [what: string, kept: number])[] = [
  ['with its whole ledger', 100],
  ['whose ledger was trimmed', 4],
];

describe.each(STORES)('of a store %s', (_, kept) => {
  const store = new RichStore(owner);
  const [books, due] = store.keys;
  let figures: readonly (string | null)[] = [];
  let future: readonly string[] = [];
  let fields: readonly string[] = [];

  beforeAll(async () => {
    await store.make();
    await store.trim(kept);
    fields = Object.keys(await store.fields());
    figures = await store.figures();
    future = await store.future();
  });

  test('where nothing is wrong, verify and rebuild report nothing and change no byte', async () => {
    await store.putBack();
    const before = await store.bytes();
    // One that knows the store: from a newcomer, a rebuild is also the word to go on with a store that was lost.
    const sink = store.sink();
    await sink.read([]);
    for (const report of [await sink.verify(), await sink.rebuild()]) {
      expect(report).toMatchObject({ accounts: store.accounts.length, differences: [] });
    }
    expect(await store.bytes()).toBe(before);
  });

  test.each([1, 20, 30, 800])(
    'nor %i hours later, when some of it was forgotten',
    async (hours) => {
      await store.putBack();
      store.time += hours * 3_600_000;
      const sink = store.sink();
      for (let call = 0; call < 5; call += 1) await sink.read([]);
      const before = await store.bytes();
      const report = await sink.rebuild();
      expect(report.differences).toEqual([]);
      if (hours > 1) expect(report.accounts).toBeLessThan(store.accounts.length);
      expect(await store.bytes()).toBe(before);
    },
  );

  /** What was done is found where it matters, and once it is rebuilt all is as if nothing had been. */
  async function expectRestored(what: string, change: () => Promise<unknown>): Promise<void> {
    await store.putBack();
    await change();
    const found = await store.sink().verify();
    const before = await store.figures();
    if (before.some((each, place) => each !== figures[place])) {
      expect(found.differences, `${what}: verify`).not.toEqual([]);
    }
    const rebuilt = await store.sink().rebuild();
    expect(inOrder(rebuilt), what).toEqual(inOrder(found));
    expect(await store.sink().verify(), what).toMatchObject({ differences: [] });
    expect(await store.figures(), what).toEqual(figures);
  }

  /** And everything goes on like that. */
  async function expectAsBefore(what: string, change: () => Promise<unknown>): Promise<void> {
    await expectRestored(what, change);
    expect(await store.future(), what).toEqual(future);
  }

  test('any figure that was changed', { timeout: 120_000 }, async () => {
    for (const field of fields) {
      const kind = field.slice(0, 1);
      // Of a slot the amounts; of an account settled spend, and what is open in three ways.
      const places = kind === 'a' ? [0, 1, 2, 3, 4] : kind === 'w' ? [0, 1] : [1, 3];
      if (!['a', 'w', 's'].includes(kind)) continue;
      for (const place of places) {
        // How many holds are open, and when spend leaves a rolling window, shows later.
        const isLater = kind === 's' || (kind === 'a' && place === 2);
        const check = isLater ? expectAsBefore : expectRestored;
        await check(`${field}, ${place}`, () => tamperFigure(owner, books, field, [place, 3]));
      }
      if (kind !== 's') continue;
      await expectAsBefore(`${field}, moved`, async () => {
        for (const change of [
          [1, 2],
          [3, -2],
        ] as const) {
          await tamperFigure(owner, books, field, change);
        }
      });
    }
  });

  /** A block is known no more once its entry was dropped, too. */
  const isForgotten = (field: string) => kept < 10 && /^[ac]?blocked$/.test(field);

  test('any field that is deleted', { timeout: 120_000 }, async () => {
    // A reservation that was deleted is none any more, nor is what entries charged that were dropped; without
    // its header a store is lost.
    const others = fields.filter((field) => !/^(m|rr2|rr17|rr18|f.*)$/.test(field));
    for (const field of others) {
      if (!isForgotten(field)) await expectAsBefore(field, () => owner.hdel(books, field));
    }
  });

  test('case C-03: all of an account, and what lists it', { timeout: 120_000 }, async () => {
    for (const { key } of store.accounts) {
      if (isForgotten(key)) continue;
      const name = inJson(key);
      const record = [`a${name}`, `c${name}`];
      await expectAsBefore(key, () => owner.hdel(books, ...record));
      await expectAsBefore(`${key}, unlisted`, async () => {
        await owner.hdel(books, ...record);
        await owner.zrem(due, `a${name}`);
      });
    }
  });
});

function inOrder({ differences }: VerifyReport): Difference[] {
  const textOf = ({ account, field, window }: Difference) => `${account} ${field} ${window}`;
  return differences.toSorted((one, other) => (textOf(one) < textOf(other) ? -1 : 1));
}
