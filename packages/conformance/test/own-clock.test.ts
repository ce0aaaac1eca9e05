import { MemoryUsageSink } from '@hardcap/core';
import { describe, it } from 'vitest';
import { usageSinkContract } from '../src/index.ts';

// Each test has a sink of its own, so they can wait at the same time.
describe.concurrent('the memory sink on the clock of the machine', () => {
  usageSinkContract({ describe, it }, () => ({ sink: new MemoryUsageSink() }), { clock: 'own' });
});
