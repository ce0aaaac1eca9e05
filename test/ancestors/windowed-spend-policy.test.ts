import {
  type Account,
  type AccountReading,
  compileWindow,
  type PolicyDecision,
  type PolicyQuestion,
  type Refusal,
  type UsageSink,
  WindowedSpendBudgetPolicy,
  type WindowSpec,
} from '@hardcap/core';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { randomOf } from '../random.ts';
import { STORES, type TestStore } from './stores.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOON = Date.parse('2026-11-30T12:00:00Z');
const LIMIT = 1_000;

const WINDOWS: readonly WindowSpec[] = [
  { fixed: '1h' },
  { calendar: 'day', timeZone: 'America/New_York' },
  { rolling: '1h', resolution: '1m' },
  'total',
];

/** The ancestor keeps no spend: whoever asks says what it is, by these words and no others. */
describe('the keywords', () => {
  test('of the policy are limit and window; of a question spent, held, pending, oldestSpendAt, now', () => {
    type Made = ConstructorParameters<typeof WindowedSpendBudgetPolicy>[0];
    expectTypeOf<keyof Made>().toEqualTypeOf<'limit' | 'window'>();
    type Words = 'spent' | 'held' | 'pending' | 'oldestSpendAt' | 'now';
    expectTypeOf<keyof PolicyQuestion>().toEqualTypeOf<Words>();
    expectTypeOf<keyof PolicyDecision>().toEqualTypeOf<'allowed' | 'retryAfterMs' | 'kind'>();
    const policy = new WindowedSpendBudgetPolicy({ limit: LIMIT, window: { rolling: '1h' } });
    const question = { spent: 900, held: 50, pending: 51, oldestSpendAt: NOON - 1, now: NOON };
    expect(policy.check({ ...question, pending: 50 })).toEqual({ allowed: true, retryAfterMs: 0 });
    expect(policy.check(question)).toEqual({ allowed: false, retryAfterMs: null, kind: 'held' });
    expect(policy.check({ ...question, held: 0, pending: 101 })).toEqual({
      allowed: false,
      retryAfterMs: HOUR - 1,
      kind: 'too-large',
    });
  });

  test('spent: at the limit everything is refused, one below it a last unit is left', () => {
    const policy = new WindowedSpendBudgetPolicy({ limit: LIMIT, window: { fixed: '1h' } });
    expect(policy.check({ spent: LIMIT - 1, pending: 1, now: NOON }).allowed).toBe(true);
    expect(policy.check({ spent: LIMIT, pending: 0, now: NOON })).toMatchObject({
      allowed: false,
      kind: 'spent',
    });
  });

  test('pending: counted beside what was spent, and nothing where it is not said', () => {
    const policy = new WindowedSpendBudgetPolicy({ limit: LIMIT, window: { fixed: '1h' } });
    expect(policy.check({ spent: 1, now: NOON }).allowed).toBe(true);
    expect(policy.check({ spent: 1, pending: LIMIT, now: NOON }).allowed).toBe(false);
  });

  test.each([0, -1, -0.01])('a limit of %d is disabled: whatever was spent is allowed', (limit) => {
    const policy = new WindowedSpendBudgetPolicy({ limit, window: { rolling: '24h' } });
    expect(policy.enabled()).toBe(false);
    const question = { spent: 1e12, held: 1e12, pending: 1e12, oldestSpendAt: NOON, now: NOON };
    expect(policy.check(question)).toEqual({ allowed: true, retryAfterMs: 0 });
  });

  test('windowStart: what is older is not asked about', () => {
    const startOf = (window: WindowSpec) =>
      new WindowedSpendBudgetPolicy({ limit: LIMIT, window }).windowStart(NOON + 1);
    expect(startOf({ rolling: '24h' })).toBe(NOON + 1 - DAY);
    expect(startOf({ fixed: '1h' })).toBe(NOON);
    expect(startOf({ calendar: 'day', timeZone: 'America/New_York' })).toBe(NOON - 7 * HOUR);
    expect(startOf('total')).toBeNull();
  });

  test('the retry hint: when the oldest spend leaves; the whole window where nobody says when', () => {
    const policy = new WindowedSpendBudgetPolicy({ limit: LIMIT, window: { rolling: '24h' } });
    const ask = (oldestSpendAt?: number) =>
      policy.check({ spent: LIMIT, now: NOON, ...(oldestSpendAt && { oldestSpendAt }) });
    expect(ask(NOON - 20 * HOUR).retryAfterMs).toBe(4 * HOUR);
    expect(ask(NOON - 25 * HOUR).retryAfterMs).toBe(0);
    expect(ask().retryAfterMs).toBe(DAY);
  });
});

test('it keeps nothing: questions in any order, or of another policy, have the same answers', () => {
  const seed = Date.now() % 2 ** 31;
  console.log(`stateless policy: seed ${seed}`);
  const random = randomOf(seed);
  for (const window of WINDOWS) {
    const make = () => new WindowedSpendBudgetPolicy({ limit: LIMIT, window });
    const policy = make();
    const questions = Array.from({ length: 200 }, () =>
      Object.freeze({
        spent: random(1_200),
        held: random(200),
        pending: random(200),
        oldestSpendAt: NOON - random(2 * HOUR),
        now: NOON + random(2 * DAY),
      }),
    );
    const first = questions.map((question) => policy.check(question));
    const again = questions.toReversed().map((question) => policy.check(question));
    expect(again.toReversed()).toEqual(first);
    expect(questions.map((question) => make().check(question))).toEqual(first);
  }
});

/** Every way to use it: the sink has the spend, and the policy is asked with what the sink says. */
class Asked {
  readonly account: Account;
  readonly #store: TestStore;
  readonly #sink: UsageSink;
  readonly #window: WindowSpec;

  constructor(store: TestStore, window: WindowSpec) {
    this.#store = store;
    this.#sink = store.connect();
    this.#window = window;
    this.account = {
      key: 'all',
      rule: {
        budget: 'all',
        unit: 'usd',
        limit: LIMIT,
        blocked: false,
        window: compileWindow(window),
        attribute: 'reserve',
        onExpiry: 'charge',
        thresholds: [1_000_000],
      },
    };
  }

  /** The answer of a policy that is made for this one question. */
  async policy(pending: number): Promise<PolicyDecision> {
    const policy = new WindowedSpendBudgetPolicy({ limit: LIMIT, window: this.#window });
    const { committed: spent, held } = await this.figures();
    const { now } = this.#store.clock;
    const oldestSpendAt = await this.#oldestSpendAt(policy.window.at(now).startsAt);
    const known = oldestSpendAt === undefined ? {} : { oldestSpendAt };
    return policy.check({ spent, held, pending, now, ...known });
  }

  /** What the sink does with the same request; undefined where it admits it. */
  async sink(id: string, amount: number): Promise<Refusal | undefined> {
    const claims = [{ account: this.account, amount }];
    const answer = await this.#sink.reserve({ id, claims, ttlMs: 100 * DAY });
    return answer.admitted ? undefined : answer.refusals[0];
  }

  async settle(id: string, amount: number): Promise<void> {
    const charges = [{ account: 'all', amount }];
    await this.#sink.settle({ id, outcome: 'known', charges, details: {} });
  }

  async figures(): Promise<AccountReading> {
    const [reading] = await this.#sink.read([this.account]);
    if (reading === undefined) throw new Error('the account cannot be read');
    return reading;
  }

  async close(): Promise<void> {
    await this.#sink.close();
  }

  /** A call counts from when it was admitted, which for a rolling window is in the charge. */
  async #oldestSpendAt(windowStart: number | null): Promise<number | undefined> {
    let oldest: number | undefined;
    for await (const { at, charges } of this.#sink.entries()) {
      const [charge] = charges;
      const spentAt = charge?.slot ?? at;
      if (spentAt < (windowStart ?? 0) || !charge?.amount) continue;
      oldest = Math.min(oldest ?? spentAt, spentAt);
    }
    return oldest;
  }
}

describe.each(STORES)('the spend is in the sink: %s', (name, open) => {
  test.each(WINDOWS)(
    'and the policy decides as the sink does, step by step: %j',
    async (window) => {
      const seed = Date.now() % 2 ** 31;
      console.log(`policy against ${name}, ${JSON.stringify(window)}: seed ${seed}`);
      const random = randomOf(seed);
      const store = open();
      const asked = new Asked(store, window);
      const openCalls: [id: string, amount: number][] = [];
      const seen = new Set<string>();
      for (let step = 0; step < 150; step += 1) {
        if (random(3) === 0) store.clock.advance(random(20 * 60_000));
        const amount = random(20) === 0 ? LIMIT + 1 : random(250);
        const decision = await asked.policy(amount);
        const refusal = await asked.sink(`${step}`, amount);
        const where = `step ${step} of seed ${seed}`;
        expect(decision.allowed, where).toBe(refusal === undefined);
        expect(decision.kind, where).toBe(refusal?.kind);
        seen.add(decision.kind ?? 'allowed');
        if (refusal !== undefined) expectHint(decision, refusal, window, where);
        else openCalls.push([`${step}`, amount]);
        const [id, held = 0] = (random(2) === 0 && openCalls.shift()) || [];
        if (id !== undefined)
          await asked.settle(id, random(5) === 0 ? held + 300 : random(held + 1));
      }
      expect(seen.has('allowed')).toBe(true);
      expect(seen.size).toBeGreaterThan(1);
      await asked.close();
    },
  );

  test('what is before windowStart is in no figure of it', async () => {
    const store = open();
    const asked = new Asked(store, { fixed: '1h' });
    await asked.sink('first', 900);
    await asked.settle('first', 900);
    expect(await asked.policy(101)).toMatchObject({ allowed: false, retryAfterMs: HOUR });
    store.clock.advance(HOUR);
    expect((await asked.figures()).window.startsAt).toBe(NOON + HOUR);
    expect(await asked.policy(1_000)).toEqual({ allowed: true, retryAfterMs: 0 });
    await asked.close();
  });
});

/**
 * The sink knows all that was spent, and when; the policy the oldest of it. So what it says of a rolling
 * window is the first moment at which anything changes, and never later than the sink's.
 */
function expectHint(
  { retryAfterMs: hint }: PolicyDecision,
  { retryAfterMs: exact }: Refusal,
  window: WindowSpec,
  where: string,
): void {
  const isRolling = typeof window === 'object' && 'rolling' in window;
  if (!isRolling || exact === null || hint === null) {
    // A rolling window is full of what calls hold, and nobody knows when they settle.
    if (!isRolling) expect(hint, where).toBe(exact);
    return;
  }
  expect(hint, where).toBeLessThanOrEqual(exact);
}
