import { MemoryUsageSink } from '@hardcap/core';
import { describe, expect, test } from 'vitest';
import { ContractViolation, type SinkCapabilities, usageSinkContract } from '../src/index.ts';
import { failingTests } from './support/failing-tests.ts';
import { wrapped } from './support/wrapped-sink.ts';

/** How many tests there are for each group, by the number it starts with. */
function groupsFor(capabilities: SinkCapabilities): Map<string, number> {
  const groups = new Map<string, number>();
  let current = '';
  const describe = (name: string, body: () => void) => {
    current = name;
    body();
  };
  const it = () => groups.set(current, (groups.get(current) ?? 0) + 1);
  usageSinkContract(
    { describe, it },
    ({ now }) => ({ sink: new MemoryUsageSink({ now }) }),
    capabilities,
  );
  return groups;
}

describe('the contract', () => {
  const all = { durable: true, shared: true, loses: true, tampers: true, deletes: true };

  test('has a group for each of its thirteen points', () => {
    const points = [...groupsFor({ clock: 'injected', ...all }).keys()].map(Number.parseFloat);
    expect([...new Set(points)].filter(Number.isInteger).sort((a, b) => a - b)).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13,
    ]);
  });

  test('leaves out what a sink cannot do, and groups that are empty then', () => {
    const most = groupsFor({ clock: 'injected', ...all });
    const least = groupsFor({ clock: 'own', keepsDetails: false });
    expect(most.size - least.size).toBe(3);
    for (const [group, count] of least) expect(count).toBeLessThanOrEqual(most.get(group) ?? 0);
  });

  test('closes every sink, also after a violation, which it does not hide', async () => {
    let open = 0;
    const failing = await failingTests((context) => {
      const sink = new MemoryUsageSink(context);
      open += 1;
      const close = () => {
        open -= 1;
        throw new Error('does not close');
      };
      const settle = () => sink.settle({ id: '', outcome: 'known', charges: [], details: {} });
      return { sink: wrapped(sink, { settle, close }) };
    });
    expect(open).toBe(0);
    expect(failing.some(({ error }) => error instanceof ContractViolation)).toBe(true);
  });

  test('says that a capability was promised and not delivered', async () => {
    const createSink = (context: { now: () => number }) => ({ sink: new MemoryUsageSink(context) });
    const failing = await failingTests(createSink, { durable: true });
    expect(failing.map(({ error }) => (error as Error).message)).toContain(
      'a durable sink comes with `reopen`',
    );
  });
});
