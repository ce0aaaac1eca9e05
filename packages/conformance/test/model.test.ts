import { MemoryUsageSink } from '@hardcap/core';
import * as fastCheck from 'fast-check';
import { describe, expect, test } from 'vitest';
import { usageSinkModel } from '../src/index.ts';
import { PlainSink } from '../src/model/plain-sink.ts';
import { failingTests } from './support/failing-tests.ts';
import { wrapped } from './support/wrapped-sink.ts';

describe('the model', () => {
  test('keeps the contract, but for arguments that are out of range', async () => {
    const failing = await failingTests((context) => ({ sink: new PlainSink(context) }));
    const names = failing.map(({ name }) => name.split(': ').at(1));
    expect(names).toEqual([
      'case C-22',
      'top-ups of a window come to no more than the largest amount',
      'case C-22',
      'case C-21',
      'an id has 1 to 64 characters, whatever they are',
      'a call binds at most 32 accounts, and each once',
      'a time to live is a whole number of ms from 1',
    ]);
  });

  test('agrees with the memory sink in any history', { timeout: 120_000 }, () =>
    usageSinkModel({
      fastCheck,
      runs: 2_000,
      createSinks: (context) => ({
        memory: { sink: new MemoryUsageSink(context) },
      }),
    }),
  );

  test('names the sink that does not agree, and where', async () => {
    const comparing = usageSinkModel({
      fastCheck,
      runs: 200,
      createSinks: (context) => {
        const sink = new MemoryUsageSink(context);
        const forgetful = wrapped(sink, {
          extend: (request) => sink.extend({ ...request, claims: [] }),
        });
        return { memory: { sink: new MemoryUsageSink(context) }, forgetful: { sink: forgetful } };
      },
    });
    const error = await comparing.then(
      () => undefined,
      (error: Error) => error,
    );
    expect(String(error?.cause)).toMatch(/forgetful: (readings|extend)/);
  });
});
