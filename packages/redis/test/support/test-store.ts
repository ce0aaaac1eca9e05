import type { SinkContext, SinkUnderTest } from '@hardcap/conformance';
import { type RedisClient, RedisUsageSink, type RedisUsageSinkOptions } from '../../src/index.ts';
import { storeKeys } from '../../src/store-keys.ts';
import { deleteAccount, tamper } from './tamper.ts';
import { UNHURRIED_MS } from './unhurried.ts';

/**
 * A sink in a namespace of its own, with everything that the contract can ask for.
 *
 * @param owner of the server, who may empty the store and change it
 */
export function createTestSink(
  client: RedisClient,
  { now }: SinkContext,
  owner: RedisClient,
  options: RedisUsageSinkOptions = {},
): SinkUnderTest {
  const namespace = crypto.randomUUID();
  const { books, due, ledger } = storeKeys(namespace);
  const open = (context: SinkContext) =>
    new RedisUsageSink(client, {
      namespace,
      now: context.now,
      timeoutMs: UNHURRIED_MS,
      ...options,
    });
  const drop = async () => void (await owner.call('DEL', books, due, ledger));
  return {
    sink: open({ now }),
    close: drop,
    reopen: () => open({ now }),
    connect: open,
    loseData: drop,
    tamper: (account, by) => tamper(owner, books, account, by),
    deleteCounters: (account) => deleteAccount(owner, books, account),
  };
}
