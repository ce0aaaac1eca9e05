import type { SinkContext, SinkUnderTest } from '@hardcap/conformance';
import type { RedisClient, RedisUsageSinkOptions } from '../../src/index.ts';
import type { Partitioning } from '../../src/partition.ts';
import { PartitionedSink } from '../../src/partitioned-sink.ts';
import { ServerCheck } from '../../src/server-checks.ts';
import { type StoreKeys, storeKeys } from '../../src/store-keys.ts';
import { deleteAccount, tamper } from './tamper.ts';
import { UNHURRIED_MS } from './unhurried.ts';

type NameOf = (account: string) => string | null;

/** Accounts in stores by a rule of the test: those of the contract have no dimensions. */
class TestPartitioning implements Partitioning {
  readonly nameOf: NameOf;
  readonly registry: string;
  readonly #namespace: string;

  constructor(namespace: string, nameOf: NameOf) {
    this.nameOf = nameOf;
    this.#namespace = namespace;
    this.registry = `{hardcap:${namespace}|test}:partitions`;
  }

  keysOf(name: string | null): StoreKeys {
    return storeKeys(`${this.#namespace}|${name ?? 'test'}`);
  }
}

/** Two partitions, and the store above them. */
const NAMES: readonly (string | null)[] = ['test=one', 'test=two', null];

/**
 * Accounts of the model whose windows leave their rest to the next. A first step that is taken back counts
 * as use of a window, as `two-steps.test.ts` has it, and that of the store above is never taken back.
 */
const ROLLING_OVER: readonly string[] = ['saved', 'kept'];

/** Spreads accounts over all of them, by their keys. */
export function spread(account: string): string | null {
  if (ROLLING_OVER.includes(account)) return null;
  const sum = [...account].reduce((total, char) => total + char.charCodeAt(0), 0);
  return NAMES[sum % NAMES.length] ?? null;
}

/**
 * A partitioned sink in a namespace of its own, with everything that the contract can ask for.
 *
 * @param owner of the server, who may empty the stores and change them
 */
export function createPartitionedSink(
  client: RedisClient,
  { now }: SinkContext,
  nameOf: NameOf,
  owner: RedisClient,
  options: RedisUsageSinkOptions = {},
): SinkUnderTest {
  const partitioning = new TestPartitioning(crypto.randomUUID(), nameOf);
  const open = (context: SinkContext) => {
    const own = { now: context.now, timeoutMs: UNHURRIED_MS, ...options };
    return new PartitionedSink(
      { client, replicated: null, check: new ServerCheck() },
      partitioning,
      own,
    );
  };
  const drop = async () => {
    for (const name of NAMES) {
      const { books, due, ledger } = partitioning.keysOf(name);
      await owner.call('DEL', books, due, ledger);
    }
  };
  return {
    sink: open({ now }),
    close: async () => {
      await drop();
      await owner.call('DEL', partitioning.registry);
    },
    reopen: () => open({ now }),
    connect: open,
    loseData: drop,
    tamper: (account, by) => {
      return tamper(owner, partitioning.keysOf(nameOf(account)).books, account, by);
    },
    deleteCounters: (account) => {
      return deleteAccount(owner, partitioning.keysOf(nameOf(account)).books, account);
    },
  };
}
