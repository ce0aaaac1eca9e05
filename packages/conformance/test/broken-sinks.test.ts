import { describe, expect, test } from 'vitest';
import { CORRECTING } from './faults/correcting.ts';
import { KEEPING } from './faults/keeping.ts';
import { RESERVING } from './faults/reserving.ts';
import { ROLLING_OVER } from './faults/rolling-over.ts';
import { SETTLING } from './faults/settling.ts';
import { failingTests } from './support/failing-tests.ts';

// All at once, so that each takes as long as all of them.
describe.concurrent('the contract catches a sink that', { timeout: 60_000 }, () => {
  for (const { fault, caughtBy, createSink, capabilities } of [
    ...RESERVING,
    ...SETTLING,
    ...KEEPING,
    ...CORRECTING,
    ...ROLLING_OVER,
  ]) {
    test(fault, async () => {
      const failing = (await failingTests(createSink, capabilities)).map(({ name }) => name);
      expect(failing).toContainEqual(expect.stringContaining(caughtBy));
    });
  }
});
