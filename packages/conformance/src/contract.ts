import { ContractBench } from './contract-bench.ts';
import { DrivenClock, RealClock } from './contract-clock.ts';
import type { ContractTest, Need } from './contract-test.ts';
import { GROUPS } from './groups.ts';
import type { CreateSink, SinkCapabilities, TestApi } from './sink-under-test.ts';

/**
 * The contract of a `UsageSink`, as tests: one group for each of its points, and some more.
 *
 * @param testApi `describe` and `it` of the runner.
 * @param createSink makes a sink over an empty store, anew for each test.
 * @param capabilities what else the sink can do. Tests that need more are left out.
 */
export function usageSinkContract(
  testApi: TestApi,
  createSink: CreateSink,
  capabilities: SinkCapabilities,
): void {
  for (const { title, tests } of GROUPS) {
    const fitting = tests.filter(({ needs }) => needs.every((need) => meets(capabilities, need)));
    if (fitting.length === 0) continue;
    testApi.describe(title, () => {
      for (const each of fitting) {
        testApi.it(each.name, () => runTest(each, createSink, capabilities));
      }
    });
  }
}

async function runTest(
  { run }: ContractTest,
  createSink: CreateSink,
  capabilities: SinkCapabilities,
): Promise<void> {
  const clock = capabilities.clock === 'injected' ? new DrivenClock() : new RealClock();
  const bench = new ContractBench(await createSink({ now: clock.now }), clock);
  try {
    await run(bench);
  } catch (violation) {
    // A sink that broke may fail to close, too, and that is not what matters.
    await bench.close().catch(() => {});
    throw violation;
  }
  await bench.close();
}

function meets(capabilities: SinkCapabilities, need: Need): boolean {
  const { clock, durable, shared, keepsDetails, loses, tampers, deletes } = capabilities;
  const met: Record<Need, boolean> = {
    'driven time': clock === 'injected',
    durable: durable ?? false,
    shared: shared ?? false,
    'keeps details': keepsDetails ?? true,
    loses: loses ?? false,
    tampers: tampers ?? false,
    deletes: deletes ?? false,
  };
  return met[need];
}
