import { type CreateSink, type SinkCapabilities, usageSinkContract } from '../../src/index.ts';

interface Failure {
  /** Group and test. */
  readonly name: string;
  readonly error: unknown;
}

/** Runs the contract on a sink; the tests that it fails. */
export async function failingTests(
  createSink: CreateSink,
  capabilities: Partial<SinkCapabilities> = {},
): Promise<Failure[]> {
  const tests: { name: string; body: () => Promise<void> }[] = [];
  let group = '';
  const testApi = {
    describe: (name: string, body: () => void) => {
      group = name;
      body();
    },
    it: (name: string, body: () => Promise<void>) => {
      tests.push({ name: `${group}: ${name}`, body });
    },
  };
  usageSinkContract(testApi, createSink, { clock: 'injected', ...capabilities });
  const failures: Failure[] = [];
  for (const { name, body } of tests) {
    await body().catch((error: unknown) => failures.push({ name, error }));
  }
  return failures;
}
