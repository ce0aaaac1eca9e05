import { MemoryUsageSink, type UsageSink } from '@hardcap/core';
import type { CreateSink, SinkCapabilities, SinkContext } from '../../src/index.ts';
import { wrapped } from './wrapped-sink.ts';

/** A sink with one fault, and a test of the contract that it must fail. */
export interface BrokenSink {
  readonly fault: string;
  readonly caughtBy: string;
  readonly createSink: CreateSink;
  readonly capabilities?: Partial<SinkCapabilities>;
}

/** What of a right sink is replaced. */
type Fault = (sink: UsageSink, context: SinkContext) => Partial<UsageSink>;

/** A memory sink with a fault. */
export function broken(fault: string, caughtBy: string, changes: Fault): BrokenSink {
  const createSink: CreateSink = (context) => {
    const sink = new MemoryUsageSink(context);
    return { sink: wrapped(sink, changes(sink, context)) };
  };
  return { fault, caughtBy, createSink };
}

/** The time on a sink's clock. */
export async function timeOf(sink: UsageSink): Promise<number> {
  return (await sink.release('asks-for-the-time')).at;
}
