import { vi } from 'vitest';
import { TestRedis } from './test-redis.ts';

/** A master and a replica of it that has caught up. @param masterPort where the replica finds it, if not there */
export async function startPair(
  masterPort?: (master: TestRedis) => Promise<number>,
): Promise<readonly [master: TestRedis, replica: TestRedis]> {
  const master = await TestRedis.start('--repl-diskless-sync-delay', '0');
  const port = (await masterPort?.(master)) ?? master.server.port;
  const replica = await TestRedis.start('--replicaof', '127.0.0.1', `${port}`);
  const client = replica.client();
  await vi.waitFor(
    async () => {
      const state = String(await client.info('replication'));
      if (!state.includes('master_link_status:up')) throw new Error('the replica is not there yet');
    },
    { timeout: 10_000 },
  );
  return [master, replica];
}
