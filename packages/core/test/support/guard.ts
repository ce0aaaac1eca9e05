import {
  type Budget,
  type CallRequest,
  createSpendGuard,
  type Denial,
  type GuardEvent,
  MemoryUsageSink,
  type SpendCall,
  type SpendGuard,
  type SpendGuardOptions,
  type TokenUsage,
  type UsageSink,
} from '../../src/index.ts';
import { type TestClock, testClock } from './clock.ts';
import { PRICES } from './prices.ts';

export interface GuardBench {
  readonly guard: SpendGuard;
  readonly sink: UsageSink;
  readonly clock: TestClock;
  readonly events: GuardEvent[];
}

type BenchOptions = Omit<Partial<SpendGuardOptions>, 'budgets' | 'now'> & {
  readonly clock?: TestClock;
};

/** A guard over a memory sink with a clock of its own, and everything it reports. */
export function benchOf(budgets: readonly Budget[], options: BenchOptions = {}): GuardBench {
  const { clock = testClock(), ...others } = options;
  const events: GuardEvent[] = [];
  const sink = options.sink ?? new MemoryUsageSink({ now: clock.now });
  const guard = createSpendGuard({
    budgets,
    sink,
    prices: PRICES,
    now: clock.now,
    onEvent: (event) => {
      events.push(event);
    },
    ...others,
  });
  return { guard, sink, clock, events };
}

/** A budget in USD for everyone, without reset, unless it says otherwise. */
export function usdBudget(usd: string, others: Partial<Budget> = {}): Budget {
  return { name: 'cap', per: [], limit: { usd }, window: 'total', ...others };
}

/** A call to `small` that may cost up to 10,000 nano-USD for each output token. */
export function callOf(maxOutputTokens: number, others: Partial<CallRequest> = {}): CallRequest {
  return { provider: 'acme', model: 'small', inputTokens: 0, maxOutputTokens, ...others };
}

export async function admit(guard: SpendGuard, request: CallRequest): Promise<SpendCall> {
  const reservation = await guard.reserve(request);
  if (reservation.admitted) return reservation.call;
  throw new Error(`Refused: ${JSON.stringify(reservation.denial)}`);
}

export async function denialFor(guard: SpendGuard, request: CallRequest): Promise<Denial> {
  const reservation = await guard.reserve(request);
  if (!reservation.admitted) return reservation.denial;
  throw new Error('Admitted, where a refusal was expected.');
}

/** Disjoint classes, all 0 but those given. */
export function usageOf(classes: Partial<TokenUsage>): TokenUsage {
  return {
    input: 0,
    cacheRead: 0,
    cacheWrite5m: 0,
    cacheWrite1h: 0,
    output: 0,
    reasoning: 0,
    ...classes,
  };
}

/** The events of one type. */
export function eventsOf<Type extends GuardEvent['type']>(
  events: readonly GuardEvent[],
  type: Type,
): Extract<GuardEvent, { type: Type }>[] {
  return events.filter(
    (event): event is Extract<GuardEvent, { type: Type }> => event.type === type,
  );
}

/** Everything that a sink ever wrote down. */
export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}
