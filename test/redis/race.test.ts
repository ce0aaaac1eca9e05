import { afterAll, expect, test } from 'vitest';
import { accountOf, claimOn } from '../../packages/redis/test/support/accounts.ts';
import { TestRedis } from '../../packages/redis/test/support/test-redis.ts';

const redis = await TestRedis.start();
const ROUNDS = 2_000;

afterAll(() => redis.stop());

test('a settlement and a release of two connections race: one of them ends each call, and says so', async () => {
  const [one, other] = [redis.sink({ timeoutMs: 20_000 }), redis.sink({ timeoutMs: 20_000 })];
  const account = accountOf('a', { limit: null });
  const outcomes: string[][] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const id = `r${round}`;
    await one.reserve({ id, claims: [claimOn(account, 7)], ttlMs: 600_000 });
    const settle = () => one.settle({ id, outcome: 'known', charges: [], details: {} });
    const release = () => other.release(id);
    const [first, second] = round % 2 === 0 ? [settle, release] : [release, settle];
    const statuses = (await Promise.all([first(), second()])).map(({ status }) => status);
    outcomes.push(statuses.toSorted());
  }
  const settled = outcomes.filter(([, won]) => won === 'settled').length;
  const released = outcomes.filter(([, won]) => won === 'released').length;
  expect(outcomes.every(([lost]) => lost === 'already-resolved')).toBe(true);
  expect(settled + released).toBe(ROUNDS);
  expect(Math.min(settled, released)).toBeGreaterThan(0);
  expect((await one.read([account]))[0]).toMatchObject({ committed: settled * 7, held: 0 });
  expect(await one.verify()).toMatchObject({ entries: settled, reservations: 0, differences: [] });
});
