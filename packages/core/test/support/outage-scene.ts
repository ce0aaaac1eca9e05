import {
  type Budget,
  type CallRequest,
  MemoryUsageSink,
  type Settlement,
  type SpendGuardOptions,
} from '../../src/index.ts';
import { AwaySink } from './away-sink.ts';
import { testClock } from './clock.ts';
import { benchOf, type GuardBench, usdBudget } from './guard.ts';

/** Whose account the figures of a scene are. */
export const ANN: Partial<CallRequest> & { readonly identity: { user: string } } = {
  identity: { user: 'ann' },
};

/** A budget for each user that does without the sink. */
export function open(usd: string, others: Partial<Budget> = {}): Budget {
  return usdBudget(usd, { per: ['user'], onSinkError: 'allow', ...others });
}

export function cost(costNanoUsd: number): Settlement {
  return { outcome: 'known', costNanoUsd };
}

/** About 600 output tokens. */
export const TEXT: string = 'many words follow each other '.repeat(100);

export interface OutageScene extends GuardBench {
  readonly sink: AwaySink;
  /** What is behind the connection. */
  readonly memory: MemoryUsageSink;
  /** Settled spend and open holds of each account of Ann's. */
  figures(): Promise<number[]>;
}

export function outageScene(
  budgets: readonly Budget[],
  options: Partial<SpendGuardOptions> = {},
): OutageScene {
  const clock = testClock();
  const memory = new MemoryUsageSink({ now: clock.now });
  const sink = new AwaySink(memory);
  const bench = benchOf(budgets, { clock, ...options, sink });
  const figures = async (): Promise<number[]> => {
    const readings = await bench.guard.status(ANN.identity);
    return readings.flatMap(({ committed, held }) => [committed, held]);
  };
  return { ...bench, sink, memory, figures };
}
