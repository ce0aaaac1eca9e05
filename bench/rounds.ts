/** A piece of work that is timed: does `count` operations. */
export interface Contender {
  readonly name: string;
  run(count: number): Promise<void>;
}

// Until the code is compiled and the heap has found its size.
const WARM_UP_ROUNDS = 10;

/**
 * Nanoseconds per operation of each contender, in the quietest tenth of its rounds: what else the
 * machine does only ever adds time. They take turns within every round, so that a machine that slows
 * down does so for all of them.
 */
export async function quietNanoseconds(
  contenders: readonly Contender[],
  options: { readonly rounds: number; readonly count: number },
): Promise<Map<string, number>> {
  const samples = new Map<string, number[]>(contenders.map(({ name }) => [name, []]));
  for (let round = -WARM_UP_ROUNDS; round < options.rounds; round += 1) {
    for (const { name, run } of contenders) {
      const startedAt = process.hrtime.bigint();
      await run(options.count);
      const nanoseconds = Number(process.hrtime.bigint() - startedAt) / options.count;
      if (round >= 0) samples.get(name)?.push(nanoseconds);
    }
  }
  return new Map([...samples].map(([name, values]) => [name, tenth(values)]));
}

export function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function tenth(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 10)] ?? Number.NaN;
}
