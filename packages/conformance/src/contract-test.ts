import type { ContractBench } from './contract-bench.ts';

/** What a test asks of a sink beyond what every sink must do. */
export type Need =
  | 'driven time'
  | 'durable'
  | 'shared'
  | 'keeps details'
  | 'loses'
  | 'tampers'
  | 'deletes';

export interface ContractTest {
  readonly name: string;
  readonly needs: readonly Need[];
  readonly run: (bench: ContractBench) => Promise<void>;
}

export interface ContractGroup {
  readonly title: string;
  readonly tests: readonly ContractTest[];
}

export function test(
  name: string,
  run: (bench: ContractBench) => Promise<void>,
  ...needs: Need[]
): ContractTest {
  return { name, needs, run };
}
