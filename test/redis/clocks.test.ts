import { afterAll, expect, test } from 'vitest';
import { TestRedis } from '../../packages/redis/test/support/test-redis.ts';
import { start } from '../processes.ts';
import { type ClockReport, minuteAccount } from './fleet.ts';

const redis = await TestRedis.start();
const admin = redis.client();
const MINUTE = 60_000;

afterAll(() => redis.stop());

async function serverTime(): Promise<number> {
  const [seconds] = await admin.time();
  return Number(seconds) * 1_000;
}

/** Of all processes, by when a window starts. */
function totals(tallies: readonly Readonly<Record<string, number>>[]): Map<number, number> {
  const sums = new Map<number, number>();
  for (const [startsAt, count] of tallies.flatMap((tally) => Object.entries(tally))) {
    sums.set(Number(startsAt), (sums.get(Number(startsAt)) ?? 0) + count);
  }
  return sums;
}

// Whoever comes first opens the windows.
test.each([
  ['1', '-1', '0'],
  ['-1', '0', '1'],
])(
  'processes whose clocks are off by %s, %s and %s hours share windows and caps',
  async (...all) => {
    await admin.flushall();
    const begunAt = await serverTime();
    const [first = '', ...others] = all;
    const worker = new URL('clock-worker.ts', import.meta.url);
    const run = (hours: string, calls: number) => {
      return start<ClockReport>(worker, `${redis.server.port}`, hours, `${calls}`).ended;
    };
    const ends = [await run(first, 20)];
    ends.push(...(await Promise.all(others.map((hours) => run(hours, 100)))));
    const endedAt = await serverTime();
    expect(ends.map(({ code }) => code)).toEqual([0, 0, 0]);
    const reports = ends.flatMap(({ messages }) => messages);
    const admitted = totals(reports.map((report) => report.admitted));
    const refused = totals(reports.map((report) => report.refused));
    for (const startsAt of [...admitted.keys(), ...refused.keys()]) {
      // A window of the server's time, in which all of them are.
      expect(startsAt).toBeGreaterThan(begunAt - MINUTE);
      expect(startsAt).toBeLessThanOrEqual(endedAt);
      const count = admitted.get(startsAt) ?? 0;
      if (refused.has(startsAt)) expect(count).toBe(142);
      else expect(count).toBeLessThanOrEqual(142);
    }
    const sink = redis.sink({ timeoutMs: 20_000 });
    expect((await sink.read([minuteAccount()]))[0]?.held).toBe(0);
    expect(await sink.verify()).toMatchObject({ reservations: 0, differences: [] });
  },
  60_000,
);
