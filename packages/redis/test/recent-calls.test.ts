import { expect, onTestFinished, test, vi } from 'vitest';
import { PartitionedCall } from '../src/call-part.ts';
import { RecentCalls } from '../src/recent-calls.ts';

const callOf = (id: string) => new PartitionedCall(id, [], []);

test('an open call is remembered however many end meanwhile; of those, the latest are', () => {
  const calls = new RecentCalls();
  calls.add(callOf('open'));
  for (let index = 0; index < 25_000; index += 1) {
    calls.add(callOf(`r${index}`));
    calls.end(`r${index}`);
  }
  expect(calls.get('open')).toBeDefined();
  expect(calls.get('r4999')).toBeUndefined();
  expect(calls.get('r5000')).toBeDefined();
});

test('calls that nobody ends are let go, and those that are kept alive are not', () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const calls = new RecentCalls();
  const [abandoned, alive] = [callOf('abandoned'), callOf('alive')];
  for (const call of [abandoned, alive]) calls.add(call);
  for (let hour = 0; hour < 3; hour += 1) {
    vi.setSystemTime(Date.now() + 3_600_001);
    calls.use(alive);
    calls.add(callOf(`later-${hour}`));
  }
  // It is among those that have ended, and goes with them.
  for (let index = 0; index < 20_000; index += 1) {
    calls.add(callOf(`r${index}`));
    calls.end(`r${index}`);
  }
  expect(calls.get('abandoned')).toBeUndefined();
  expect(calls.get('alive')).toBe(alive);
});
