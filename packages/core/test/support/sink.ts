import {
  type Account,
  type AccountReading,
  type AccountRule,
  type AdjustAnswer,
  type Adjustment,
  type Claim,
  compileWindow,
  type ExtendAnswer,
  type MemoryUsageSinkOptions,
  type Outcome,
  type Refusal,
  type ReserveAnswer,
  type SettleAnswer,
  type SinkNotice,
  type WindowSpec,
} from '../../src/index.ts';
import { MemoryStore } from '../../src/memory-store.ts';
import { type TestClock, testClock } from './clock.ts';

type Terms = Omit<Partial<AccountRule>, 'window'> & { readonly window?: WindowSpec };

/** An account with a limit of 100 tokens and no reset, unless it says otherwise. */
export function accountOf(budget: string, terms: Terms = {}): Account {
  const { window = 'total', ...others } = terms;
  return {
    key: budget,
    rule: {
      budget,
      unit: 'tokens',
      limit: 100,
      blocked: false,
      window: compileWindow(window),
      attribute: 'reserve',
      onExpiry: 'charge',
      thresholds: [1_000_000],
      ...others,
    },
  };
}

export type Claims = readonly (readonly [account: Account, amount: number])[];

export function claimsOf(claims: Claims): Claim[] {
  return claims.map(([account, amount]) => ({ account, amount }));
}

/** How long a hold of these tests lives. */
export const TTL = 120_000;

/** The store of a memory sink with a clock, in the short words that tests need. */
export class SinkBench {
  readonly clock: TestClock;
  readonly sink: MemoryStore;
  adjustments = 0;

  constructor(options: Omit<MemoryUsageSinkOptions, 'now'> & { clock?: TestClock } = {}) {
    const { clock = testClock(), ...others } = options;
    this.clock = clock;
    this.sink = new MemoryStore({ now: clock.now, ...others });
  }

  reserve(id: string, ...claims: Claims): ReserveAnswer {
    return this.sink.reserve({ id, claims: claimsOf(claims), ttlMs: TTL });
  }

  extend(id: string, ...claims: Claims): ExtendAnswer {
    return this.sink.extend({ id, claims: claimsOf(claims), ttlMs: TTL });
  }

  /** Settles with these amounts by account; what is not named is charged its hold. */
  settle(
    id: string,
    amounts: Record<string, number> = {},
    outcome: Outcome = 'known',
  ): SettleAnswer {
    const charges = Object.entries(amounts).map(([account, amount]) => ({ account, amount }));
    return this.sink.settle({ id, outcome, charges, details: {} });
  }

  adjust(account: Account, change: Adjustment, id?: string): Promise<AdjustAnswer> {
    this.adjustments += 1;
    return this.sink.adjust({
      id: id ?? `adjustment-${this.adjustments}`,
      account,
      change,
      details: {},
    });
  }

  read(account: Account): AccountReading {
    const [reading] = this.sink.read([account]);
    if (reading === undefined) throw new Error('nothing was read');
    return reading;
  }

  /** Settled spend and open holds of an account. */
  figures(account: Account): [committed: number, held: number] {
    const { committed, held } = this.read(account);
    return [committed, held];
  }
}

/** The refusals of a denial. */
export function refusalsIn(answer: ReserveAnswer | ExtendAnswer): readonly Refusal[] {
  if ('refusals' in answer) return answer.refusals;
  throw new Error('Granted, where a refusal was expected.');
}

/** The thresholds that were noticed, as `budget share`. */
export function crossedIn(notices: readonly SinkNotice[]): string[] {
  return notices.flatMap((notice) =>
    notice.type === 'threshold-crossed' ? [`${notice.budget} ${notice.threshold}`] : [],
  );
}
