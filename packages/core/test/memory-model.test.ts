import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Account,
  type Adjustment,
  type Outcome,
  type Refusal,
  ReservationMismatchError,
} from '../src/index.ts';
import { DAY, MINUTE, NOON, SECOND, testClock } from './support/clock.ts';
import { accountOf, SinkBench } from './support/sink.ts';
import {
  type Amounts,
  type ModelAccount,
  type ModelRefusal,
  SinkModel,
} from './support/sink-model.ts';

const TTL = 40 * SECOND;
const IDS = ['r0', 'r1', 'r2', 'r3', 'r4', 'r5', 'r6', 'r7'];

/** Every window, both attributions and both expiries, in several units. */
function modelAccounts(): ModelAccount[] {
  const charged = { attribute: 'reserve', onExpiry: 'charge' } as const;
  const carried = { attribute: 'settle', onExpiry: 'release' } as const;
  const rolling = { rolling: 10 * MINUTE, slot: MINUTE };
  const rollingSpec = { rolling: '10m', resolution: '1m' };
  return [
    { key: 'total', spec: 'total', span: 'total', limit: 100, ...charged },
    { key: 'minute', spec: { fixed: '1m' }, span: { fixed: MINUTE }, limit: 60, ...charged },
    { key: 'day', spec: { calendar: 'day' }, span: { fixed: DAY }, limit: 80, ...carried },
    { key: 'rolling', spec: rollingSpec, span: rolling, limit: 70, ...charged },
    { key: 'carried', spec: rollingSpec, span: rolling, limit: 50, ...carried, onExpiry: 'charge' },
    { key: 'parallel', spec: 'total', span: 'total', limit: 3, ...carried },
  ];
}

type AmountsByPlace = readonly (readonly [place: number, amount: number])[];

type Step =
  | { type: 'reserve'; id: string; amounts: AmountsByPlace }
  | { type: 'extend'; id: string; amounts: AmountsByPlace }
  | { type: 'repeat' | 'release'; id: string }
  | { type: 'settle'; id: string; amounts: AmountsByPlace; outcome: Outcome }
  | { type: 'adjust'; id: string; place: number; change: Adjustment }
  | { type: 'configure'; place: number; limit: number }
  | { type: 'wait'; ms: number }
  | { type: 'boundary'; length: number; offset: number };

const id = fc.constantFrom(...IDS);
const place = fc.nat(5);
const amount = fc.oneof(fc.nat(4), fc.nat(60));
const amounts = fc.uniqueArray(fc.tuple(place, amount), {
  minLength: 1,
  maxLength: 6,
  selector: ([at]) => at,
});
const until = fc.option(fc.nat(10 * MINUTE).map((ms) => NOON + ms));
const change: fc.Arbitrary<Adjustment> = fc.oneof(
  fc.record({ type: fc.constant('top-up' as const), amount: fc.nat(30) }),
  fc.record({
    type: fc.constant('limit' as const),
    limit: fc.option(fc.integer({ min: 1, max: 150 })),
    until,
  }),
  fc.record({ type: fc.constant('limit-add' as const), amount: fc.nat(30), until }),
  fc
    .constantFrom('block' as const, 'unblock' as const, 'unblock' as const, 'reset' as const)
    .map((type) => ({ type })),
);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ type: fc.constant('reserve' as const), id, amounts }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('extend' as const), id, amounts }) },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constantFrom('repeat' as const, 'release' as const), id }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant('settle' as const),
      id,
      amounts: fc.oneof(fc.constant([]), amounts),
      outcome: fc.constantFrom<Outcome>('known', 'metered', 'unknown', 'not-sent'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('adjust' as const),
      id: fc.constantFrom('a0', 'a1', 'a2', 'a3', 'a4', 'a5'),
      place,
      change,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('configure' as const),
      place,
      limit: fc.integer({ min: 1, max: 150 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('wait' as const),
      ms: fc.oneof(fc.nat(TTL), fc.constantFrom(TTL, TTL - 1, 0, 3 * MINUTE, -MINUTE, 2 * DAY)),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('boundary' as const),
      length: fc.constantFrom(MINUTE, MINUTE, DAY),
      offset: fc.constantFrom(-1, 0, 1),
    }),
  },
);

/** Drives the sink and the model together, and compares after every step. */
class Lockstep {
  readonly bench = new SinkBench({ clock: testClock(NOON), ledgerCapacity: 5 });
  readonly model = new SinkModel();
  readonly accounts = modelAccounts();
  readonly #asked: Map<string, AmountsByPlace> = new Map();

  async take(step: Step): Promise<void> {
    const { clock } = this.bench;
    if (step.type === 'wait') clock.advance(step.ms);
    else if (step.type === 'boundary') {
      clock.set(Math.ceil((clock.now() + 2) / step.length) * step.length + step.offset);
    } else if (step.type === 'configure') this.#accountAt(step.place).limit = step.limit;
    this.model.at(clock.now());
    if ('id' in step) await this.#ask(step);
    this.#compare();
  }

  async #ask(step: Extract<Step, { id: string }>): Promise<void> {
    const { bench, model } = this;
    if (step.type === 'adjust') {
      const account = this.#accountAt(step.place);
      const expected = model.adjust(step.id, account, step.change);
      const { status } = await bench.adjust(this.#sinkAccount(account), step.change, step.id);
      expect(status).toBe(expected);
    } else if (step.type === 'release') {
      const answer = bench.sink.release(step.id);
      expect(ending(answer, 'now released')).toBe(model.release(step.id));
    } else if (step.type === 'settle') {
      const named = this.#amounts(step.amounts);
      const charges = [...named].map(([{ key }, amount]) => ({ account: key, amount }));
      const { id, outcome } = step;
      const answer = bench.sink.settle({ id, outcome, charges, details: {} });
      expect(ending(answer, 'now settled')).toBe(model.settle(id, named));
    } else if (step.type === 'extend') {
      this.#extend(step.id, step.amounts);
    } else {
      const amounts = step.type === 'reserve' ? step.amounts : this.#asked.get(step.id);
      if (amounts !== undefined) this.#reserve(step.id, amounts);
    }
  }

  #reserve(id: string, byPlace: AmountsByPlace): void {
    this.#asked.set(id, byPlace);
    const amounts = this.#amounts(byPlace);
    const expected = this.model.reserve(id, amounts, TTL);
    const claims = this.#claims(amounts);
    const reserve = () => this.bench.sink.reserve({ id, claims, ttlMs: TTL });
    if (expected === 'mismatch') expect(reserve).toThrow(ReservationMismatchError);
    else {
      const answer = reserve();
      if (expected === 'repeated') expect(answer.admitted).toBe(true);
      else expect(answer.admitted ? 'admitted' : answer.refusals.map(essence)).toEqual(expected);
      if (expected === 'admitted') this.#expectWithinLimits(amounts);
    }
  }

  #extend(id: string, byPlace: AmountsByPlace): void {
    const amounts = this.#amounts(byPlace);
    const expected = this.model.extend(id, amounts, TTL);
    const claims = this.#claims(amounts);
    const extend = () => this.bench.sink.extend({ id, claims, ttlMs: TTL });
    if (expected === 'mismatch') expect(extend).toThrow(ReservationMismatchError);
    else {
      const answer = extend();
      const refused = answer.status === 'refused';
      expect(refused ? answer.refusals.map(essence) : ending(answer, 'extended')).toEqual(expected);
    }
  }

  /** An admission never takes S + R above the limit in force. */
  #expectWithinLimits(amounts: Amounts): void {
    for (const [account] of amounts) {
      const { limit, committed, held } = this.bench.read(this.#sinkAccount(account));
      expect(committed + held).toBeLessThanOrEqual(limit ?? Number.POSITIVE_INFINITY);
    }
  }

  #compare(): void {
    const { bench, model } = this;
    for (const account of this.accounts) {
      const { limit, blocked, committed, held } = bench.read(this.#sinkAccount(account));
      expect({ account: account.key, limit, blocked, committed, held }).toEqual({
        account: account.key,
        limit: model.limit(account, model.now),
        blocked: model.isBlocked(account),
        committed: model.committed(account, model.now),
        held: model.held(account, model.now),
      });
    }
  }

  #accountAt(place: number): ModelAccount {
    return this.accounts[place] as ModelAccount;
  }

  #amounts(byPlace: AmountsByPlace): Map<ModelAccount, number> {
    return new Map(byPlace.map(([place, amount]) => [this.#accountAt(place), amount]));
  }

  #claims(amounts: Amounts) {
    return [...amounts].map(([account, amount]) => ({
      account: this.#sinkAccount(account),
      amount,
    }));
  }

  #sinkAccount({ key, spec, limit, attribute, onExpiry }: ModelAccount): Account {
    return accountOf(key, { window: spec, limit, attribute, onExpiry });
  }
}

function ending(answer: { status: string; first?: string }, now: string): string {
  if (answer.status === 'already-resolved') return answer.first ?? '';
  return answer.status === 'settled' || answer.status === 'released' ? now : answer.status;
}

function essence({
  account,
  kind,
  limit,
  committed,
  held,
  requested,
  retryAfterMs,
}: Refusal): ModelRefusal {
  return { account, kind, limit, committed, held, requested, retryAfterMs };
}

describe('any history of a memory sink', () => {
  test('agrees with a model that adds everything up anew', { timeout: 300_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60, size: 'max' }), async (steps) => {
        const both = new Lockstep();
        for (const each of steps) await both.take(each);
        expect((await both.bench.sink.verify()).differences).toEqual([]);
        expect((await both.bench.sink.rebuild()).differences).toEqual([]);
      }),
      { numRuns: 1_500 },
    );
  });
});
