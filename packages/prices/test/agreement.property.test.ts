import { costOf, type PriceQuote, type TokenUsage } from '@hardcap/core';
import { calcPrice, type ModelPrice } from '@pydantic/genai-prices';
import { describe, expect, test } from 'vitest';
// Not exported by core, which alone decides what is held: the other half of the promise.
import { ceilingCost, dearestRates } from '../../core/src/cost.ts';
import { NOON, quote, refusal } from './books.ts';
import { listedIds, pricesOf, providers } from './genai-data.ts';

const RUNS_PER_MODEL = 12;
const SEED = 20261130;

/** Numbers in [0, 1), the same in each run. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface PricedName {
  readonly provider: string;
  readonly id: string;
  readonly entry: string;
}

/** Every model of the table that the book prices by its own entry, under one of its names. */
const names: PricedName[] = providers.flatMap(({ id: provider, models }) =>
  models.flatMap((model) => {
    const id = listedIds(model).find((name) => {
      let found = '';
      refusal(() => {
        const { snapshot } = quote(provider, name);
        found = `${snapshot.provider}/${snapshot.model}`;
      });
      return found === `${provider}/${model.id}`;
    });
    return id === undefined ? [] : [{ provider, id, entry: `${provider}/${model.id}` }];
  }),
);

function priceAt({ provider, id }: PricedName, usage: Record<string, number>, at: number) {
  const timestamp = new Date(at);
  const result = calcPrice(usage, id, { providerId: provider, timestamp });
  if (result === null) throw new Error(`genai has no price for ${provider} ${id}`);
  return result;
}

const base = (value: ModelPrice[string]) => (typeof value === 'object' ? value.base : value);

// Where we charge more than genai does, and mean to.
function differs(price: ModelPrice): boolean {
  const hasPictures = Object.keys(price).some((key) => /image|video|citation/.test(key));
  const write = base(price['cache_write_mtok']);
  return hasPictures || (write !== undefined && write < (base(price['input_mtok']) ?? 0));
}

// Rates such as 0.0833… are no whole number of pico-USD per token, which 99.9 % are.
function isWhole(price: ModelPrice): boolean {
  return Object.values(price).every((value) => {
    const rates = typeof value === 'object' ? value.tiers.map((tier) => tier.price) : [];
    return [...rates, base(value) ?? 0].every((rate) => {
      const pico = rate * 1e6;
      return Math.abs(pico - Math.round(pico)) < 1e-6;
    });
  });
}

function usageFor(price: ModelPrice, random: () => number): TokenUsage {
  const count = (key?: string) => {
    if (key !== undefined && price[key] === undefined) return 0;
    return random() < 0.3 ? 0 : Math.floor(10 ** (random() * 5.6));
  };
  return {
    input: count(),
    cacheRead: count(),
    cacheWrite5m: count('cache_write_mtok'),
    cacheWrite1h: count('cache_write_1h_mtok'),
    output: price['output_mtok'] === undefined ? 0 : count(),
    reasoning: price['output_mtok'] === undefined ? 0 : count(),
    audioInput: count('input_audio_mtok'),
    audioOutput: count('output_audio_mtok'),
    fees: { webSearch: price['web_searches_kcount'] === undefined ? 0 : Math.floor(random() * 4) },
  };
}

/** In genai's words, in which totals include their parts. */
function genaiUsage(usage: TokenUsage): Record<string, number> {
  const { audioInput = 0, audioOutput = 0, cacheWrite5m, cacheWrite1h } = usage;
  const writes = cacheWrite5m + cacheWrite1h;
  return {
    input_tokens: usage.input + usage.cacheRead + writes + audioInput,
    cache_read_tokens: usage.cacheRead,
    cache_write_tokens: writes,
    cache_write_1h_tokens: cacheWrite1h,
    input_audio_tokens: audioInput,
    cache_audio_read_tokens: 0,
    cache_audio_write_tokens: 0,
    cache_audio_write_1h_tokens: 0,
    output_tokens: usage.output + usage.reasoning + audioOutput,
    output_reasoning_tokens: usage.reasoning,
    output_audio_tokens: audioOutput,
    output_audio_reasoning_tokens: 0,
    web_searches: usage.fees?.['webSearch'] ?? 0,
  };
}

/** Nano-USD that the guard would hold for the usage, at the most it could be. */
function reserveFor({ dearest }: PriceQuote, usage: TokenUsage): number {
  const { audioInput = 0, audioOutput = 0 } = usage;
  const input =
    usage.input + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h + audioInput;
  const traits = { longCacheWrites: usage.cacheWrite1h > 0, audio: audioInput > 0 };
  const rates = dearestRates(dearest, input, traits);
  return ceilingCost(rates, input, usage.output + usage.reasoning + audioOutput);
}

const times = [NOON, '2026-11-30T02:30:00Z', '2026-12-31T12:00:00Z', '2027-01-01T00:00:00Z'].map(
  (time) => (typeof time === 'number' ? time : Date.parse(time)),
);

test('there are enough models to compare', () => {
  expect(names.length).toBeGreaterThan(1_480);
});

describe('random usages of every priced model', () => {
  test('settle within [0, +1] nano-USD of what genai computes', () => {
    const random = randomFrom(SEED);
    let compared = 0;
    const wrong: unknown[] = [];
    for (const name of names) {
      for (let run = 0; run < RUNS_PER_MODEL; run++) {
        const at = times[run % times.length] ?? NOON;
        const { model_price: price } = priceAt(name, {}, at);
        if (differs(price) || !isWhole(price)) continue;
        const usage = usageFor(price, random);
        const ours = costOf(quote(name.provider, name.id, at).snapshot, usage) ?? Number.NaN;
        const theirs = priceAt(name, genaiUsage(usage), at).total_price * 1e9;
        compared++;
        // Their sum is a float: it may be off by a few units in its sixteenth digit.
        const slack = 1e-6 + theirs * 1e-12;
        if (ours >= theirs - slack && ours < theirs + 1 + slack) continue;
        wrong.push({ name, at, usage, ours, theirs });
      }
    }
    expect(wrong).toEqual([]);
    expect(compared).toBeGreaterThan(17_000);
  });

  test('are charged no less than genai computes where we differ on purpose, or a rate is not whole', () => {
    const random = randomFrom(SEED + 1);
    let compared = 0;
    for (const name of names) {
      const { model_price: price } = priceAt(name, {}, NOON);
      if (!differs(price) && isWhole(price)) continue;
      for (let run = 0; run < 50; run++) {
        const usage = usageFor(price, random);
        const ours = costOf(quote(name.provider, name.id).snapshot, usage) ?? Number.NaN;
        const theirs = priceAt(name, genaiUsage(usage), NOON).total_price * 1e9;
        // A third of a pico-USD per token, where a rate has no end.
        const tokens = usage.input + usage.cacheRead + usage.cacheWrite5m + usage.output;
        expect(ours).toBeGreaterThanOrEqual(theirs - tokens / 3_000 - 1);
        compared++;
      }
    }
    expect(compared).toBeGreaterThan(500);
  });

  test('cost no more than was held for them, whenever they settle within a day', () => {
    const random = randomFrom(SEED + 2);
    for (const name of names) {
      for (let run = 0; run < RUNS_PER_MODEL; run++) {
        const at = times[run % times.length] ?? NOON;
        const held = quote(name.provider, name.id, at);
        const { fees: _, ...tokens } = usageFor(priceAt(name, {}, at).model_price, random);
        const reserve = reserveFor(held, tokens);
        for (const later of [at, at + random() * 86_400_000]) {
          const { snapshot } = quote(name.provider, name.id, later);
          expect(costOf(snapshot, tokens)).toBeLessThanOrEqual(reserve);
        }
      }
    }
  });
});

test('the prices of a schedule are compared as well', () => {
  const scheduled = providers.flatMap(({ models }) => models).filter((model) => pricesOf(model)[1]);
  expect(scheduled.length).toBeGreaterThan(20);
});
