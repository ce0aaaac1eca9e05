import type { SinkContext, SinkUnderTest } from '@hardcap/conformance';
import type { Awaitable, SinkNotice, UsageSink } from '@hardcap/core';
import type { RedisClient, RedisUsageSinkOptions } from '../../src/index.ts';
import type { LeaseTerms } from '../../src/lease-options.ts';
import { LeaseSteps } from '../../src/lease-steps.ts';
import { LeasingSink } from '../../src/leasing-sink.ts';
import { ServerCheck } from '../../src/server-checks.ts';
import { storeKeys } from '../../src/store-keys.ts';
import { StoreSink } from '../../src/store-sink.ts';
import { tamper } from './tamper.ts';
import { UNHURRIED_MS } from './unhurried.ts';

/** Leases whatever can be leased, at once, and as much of it as there is. */
export const EAGER: LeaseTerms = {
  budgets: null,
  after: 1,
  share: 1,
  maxCalls: Number.POSITIVE_INFINITY,
  leastCalls: 0,
  // By hand.
  syncMs: Number.POSITIVE_INFINITY,
  // Clocks of tests jump by days, which no owner sleeps through that is awake.
  ttlMs: 4_000 * 86_400_000,
};

/** So many operations of a test are in an interval. */
const OF_AN_INTERVAL = 25;

/** Sinks that are open on one store: what one knows alone it tells the store before another is asked. */
type Fellows = Set<LeasingSink>;

type Around = <Answer>(ask: () => Awaitable<Answer>) => Promise<Answer>;
type Telling = <Answer extends Heard>(ask: () => Awaitable<Answer>) => Promise<Answer>;

interface Heard {
  readonly notices: readonly SinkNotice[];
}

/** Sees to its leases after each operation, as its timer would, and has the others hand over before. */
function driven(sink: LeasingSink, fellows: Fellows): UsageSink {
  let operations = 0;
  const around: Around = async (ask) => {
    for (const other of fellows) if (other !== sink) await other.handOver().catch(() => {});
    try {
      return await ask();
    } finally {
      operations += 1;
      const isOver = operations % OF_AN_INTERVAL === 0;
      await (isOver ? sink.sync() : sink.renew()).catch(() => {});
    }
  };
  // What another has heard in handing over is told by whoever asked for that.
  const telling = async <Answer extends Heard>(ask: () => Awaitable<Answer>): Promise<Answer> => {
    const answer = await around(ask);
    const notices = [...answer.notices];
    for (const other of fellows) {
      if (other !== sink) notices.push(...(await other.release('asks-for-news')).notices);
    }
    return { ...answer, notices };
  };
  return {
    ...surrounded(sink, around, telling),
    close: async () => {
      fellows.delete(sink);
      await sink.close();
    },
  };
}

/** A sink with something done around each of its operations. */
export function surrounded(sink: UsageSink, around: Around, telling: Telling = around): UsageSink {
  return {
    reserve: (request) => telling(() => sink.reserve(request)),
    extend: (request) => telling(() => sink.extend(request)),
    settle: (request) => telling(() => sink.settle(request)),
    release: (id) => telling(() => sink.release(id)),
    read: (accounts) => around(() => sink.read(accounts)),
    adjust: (request) => telling(() => sink.adjust(request)),
    verify: () => around(() => sink.verify()),
    rebuild: () => around(() => sink.rebuild()),
    async *entries(query) {
      await around(async () => {});
      yield* sink.entries(query);
    },
    close: () => sink.close(),
  };
}

/**
 * A sink that leases, in a namespace of its own, with everything that the contract can ask for.
 *
 * @param owner of the server, who may empty the store and change it
 */
export function createLeasingSink(
  client: RedisClient,
  { now }: SinkContext,
  owner: RedisClient,
  { terms = EAGER, options = {} }: { terms?: LeaseTerms; options?: RedisUsageSinkOptions } = {},
): SinkUnderTest {
  const keys = storeKeys(crypto.randomUUID());
  const { books, due, ledger } = keys;
  const fellows: Fellows = new Set();
  let opened = 0;
  const open = (context: SinkContext, after = terms.after) => {
    const own = { now: context.now, timeoutMs: UNHURRIED_MS, ...options };
    const connection = { client, replicated: null, check: new ServerCheck() };
    opened += 1;
    const store = new StoreSink(connection, keys, own, false);
    const owner = `lease:${opened}:`;
    const sink = new LeasingSink(new LeaseSteps(store, { ...terms, after }, own, owner));
    fellows.add(sink);
    return driven(sink, fellows);
  };
  const drop = async () => void (await owner.call('DEL', books, due, ledger));
  return {
    sink: open({ now }),
    close: drop,
    reopen: async () => {
      for (const sink of fellows) await sink.close();
      fellows.clear();
      // An id is for one process: what another has begun is asked for before anything is leased.
      return open({ now }, 4);
    },
    connect: (context) => open(context),
    loseData: drop,
    tamper: (account, by) => tamper(owner, books, account, by),
  };
}
