import { MemoryUsageSink } from '@hardcap/core';
import { describe, it } from 'vitest';
import { usageSinkContract } from '../src/index.ts';

describe('the memory sink', () => {
  usageSinkContract({ describe, it }, ({ now }) => ({ sink: new MemoryUsageSink({ now }) }), {
    clock: 'injected',
  });
});
