import { describe, it } from 'vitest';
import { type SinkContext, usageSinkContract } from '../src/index.ts';
import { createStoredSink, overNetwork } from './support/stored-sink.ts';

const CAPABILITIES = { durable: true, shared: true, loses: true, tampers: true };

describe('a sink with every capability', () => {
  usageSinkContract({ describe, it }, createStoredSink, { clock: 'injected', ...CAPABILITIES });
});

describe('a sink whose answers take their time, and overtake each other', () => {
  const createSink = (context: SinkContext) => {
    const { sink, connect, reopen, ...others } = createStoredSink(context);
    return {
      ...others,
      sink: overNetwork(sink),
      connect: () => overNetwork(connect()),
      reopen: () => overNetwork(reopen()),
    };
  };
  usageSinkContract({ describe, it }, createSink, { clock: 'injected', ...CAPABILITIES });
});
