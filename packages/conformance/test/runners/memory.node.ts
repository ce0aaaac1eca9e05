import { describe, it } from 'node:test';
import { usageSinkContract } from '@hardcap/conformance';
import { MemoryUsageSink } from '@hardcap/core';

usageSinkContract({ describe, it }, (context) => ({ sink: new MemoryUsageSink(context) }), {
  clock: 'injected',
});
