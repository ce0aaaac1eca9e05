import { usageSinkModel } from '@hardcap/conformance';
import { MemoryUsageSink } from '@hardcap/core';
import * as fastCheck from 'fast-check';
import { test } from 'vitest';
import { createTestSink } from './support/test-store.ts';

test('agrees with the memory sink and the model in any history', { timeout: 300_000 }, () =>
  usageSinkModel({
    fastCheck,
    runs: 2_000,
    createSinks: (context) => ({
      memory: { sink: new MemoryUsageSink(context) },
      // Histories jump by days, and the model never forgets.
      sqlite: createTestSink(context, { rememberedMs: 1e12 }),
    }),
  }),
);
