import { MemoryUsageSink, type SpendCall, type SpendGuardOptions } from '../../src/index.ts';
import { AwaySink } from './away-sink.ts';
import { testClock } from './clock.ts';
import { admit, benchOf, callOf, type GuardBench, usageOf, usdBudget } from './guard.ts';

/** What 10 output tokens cost, of the 100 that are held. */
export const COST: number = 100_000;
export const HOLD: number = 1_000_000;
export const settlement = { outcome: 'known', usage: usageOf({ output: 10 }) } as const;

/** A guard whose sink can be lost. */
export interface AwayScene extends GuardBench {
  readonly sink: AwaySink;
  /** Settled spend and open holds of the one budget. */
  figures(): Promise<(number | undefined)[]>;
}

export function awayScene(options: Partial<SpendGuardOptions> = {}): AwayScene {
  const clock = testClock();
  const sink = new AwaySink(new MemoryUsageSink({ now: clock.now }));
  const bench = benchOf([usdBudget('1', { warnAt: [0.001] })], { clock, sink, ...options });
  const figures = async () => {
    const [status] = await bench.guard.status();
    return [status?.committed, status?.held];
  };
  return { ...bench, sink, figures };
}

/** Calls that were settled while the sink was away. */
export async function queueOf({ guard, sink }: AwayScene, count: number): Promise<SpendCall[]> {
  const calls: SpendCall[] = [];
  for (let number = 0; number < count; number += 1) calls.push(await admit(guard, callOf(100)));
  sink.lost = 'request';
  for (const call of calls) await call.settle(settlement);
  sink.asked.length = 0;
  return calls;
}
