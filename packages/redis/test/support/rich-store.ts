import type { Account, Adjustment } from '@hardcap/core';
import type { Redis } from 'ioredis';
import { type RedisClient, RedisUsageSink } from '../../src/index.ts';
import { LedgerPruner } from '../../src/ledger-pruner.ts';
import { sessionOptions } from '../../src/redis-usage-sink-options.ts';
import { ScriptRunner } from '../../src/script-runner.ts';
import { storeKeys } from '../../src/store-keys.ts';
import { StoreSession } from '../../src/store-session.ts';
import { accountOf, claimOn } from './accounts.ts';

const HOUR = 3_600_000;
const START: number = Date.UTC(2026, 10, 30, 9);

const daily = { window: { calendar: 'day' } } as const;
const byName = {
  total: accountOf('total'),
  daily: accountOf('daily', daily),
  monthly: accountOf('monthly|org=o1', {
    budget: 'monthly',
    window: { calendar: 'month', timeZone: 'Asia/Tokyo', anchorDay: 31 },
  }),
  hourly: accountOf('hourly', { window: { fixed: '1h' } }),
  carried: accountOf('carried', { window: { fixed: '1h' }, attribute: 'settle' }),
  rolling: accountOf('rolling', { window: { rolling: '24h' } }),
  paid: accountOf('paid', { window: { rolling: '12h', resolution: '1h' }, attribute: 'settle' }),
  lenient: accountOf('lenient', { ...daily, onExpiry: 'release' }),
  saved: accountOf('saved', { window: { fixed: '2h' }, rollover: 50 }),
  parallel: accountOf('parallel', { unit: 'concurrent' }),
  // Keys that may be taken for something else.
  '7': accountOf('7'),
  'quoted "\\': accountOf('quoted "\\'),
  // Set by hand, and never used.
  blocked: accountOf('blocked', daily),
  lowered: accountOf('lowered'),
  raised: accountOf('raised', daily),
  // Set by hand, and used.
  topped: accountOf('topped'),
  limited: accountOf('limited', daily),
  // Brought back to nothing.
  reset: accountOf('reset'),
  emptied: accountOf('emptied', { window: { rolling: '24h' } }),
  corrected: accountOf('corrected', daily),
  // Nothing but a hold, and nothing but a denial.
  held: accountOf('held', { ...daily, budget: 'daily' }),
  denied: accountOf('denied', { ...daily, limit: 5 }),
  // From a day to hours and back.
  changed: accountOf('changed', daily),
} as const satisfies Readonly<Record<string, Account>>;

const all: readonly Account[] = Object.values(byName);
/** Those that most calls of the history are charged to. */
const most = all.filter(
  ({ key }) => !['blocked', 'lowered', 'raised', 'held', 'denied'].includes(key),
);

/** A store in which there is something of everything, and which can be put back to that. */
export class RichStore {
  readonly #owner: Redis;
  readonly #namespace: string = crypto.randomUUID();
  readonly accounts: readonly Account[] = all;
  time: number = START;
  #kept: readonly Buffer[] = [];
  #keptAt = 0;

  constructor(owner: Redis) {
    this.#owner = owner;
  }

  get keys(): readonly [books: string, due: string, ledger: string] {
    const { books, due, ledger } = storeKeys(this.#namespace);
    return [books, due, ledger];
  }

  /** A sink that knows nothing yet. */
  sink(): RedisUsageSink {
    const own = { namespace: this.#namespace, timeoutMs: 10_000, now: () => this.time };
    return new RedisUsageSink(this.#owner, own);
  }

  async make(): Promise<void> {
    const sink = this.sink();
    let made = 0;
    const hold = async (accounts: readonly Account[], amount: number, ttlMs: number) => {
      made += 1;
      const claims = accounts.map((account) => claimOn(account, amount));
      await sink.reserve({ id: `r${made}`, claims, ttlMs });
      return `r${made}`;
    };
    const settle = (id: string, charges: readonly { account: string; amount: number }[] = []) => {
      return sink.settle({ id, outcome: 'known', charges, details: {} });
    };
    const spend = async (accounts: readonly Account[], amount: number) => {
      await settle(await hold(accounts, amount, HOUR));
    };
    const adjust = (account: Account, change: Adjustment) => {
      made += 1;
      return sink.adjust({ id: `j${made}`, account, change, details: {} });
    };
    await spend(most, 3);
    await hold(most, 5, 30 * HOUR);
    await hold([byName.denied], 6, HOUR);
    this.time += 2 * HOUR;
    await spend(most, 4);
    const brief = await hold(most, 2, 60_000);
    await hold(most, 1, 60_000);
    this.time += HOUR;
    await settle(brief, [{ account: 'rolling', amount: 1 }]);
    const call = await hold([byName.corrected], 6, HOUR);
    await settle(call);
    const { budget, unit } = byName.corrected.rule;
    const place = { account: 'corrected', budget, unit, window: 'day:2026-11-30T00:00:00Z' };
    const charges = [{ ...place, slot: null, amount: -2 }];
    await adjust(byName.corrected, { type: 'correction', reservation: call, charges });
    const until = START + 20 * HOUR;
    await adjust(byName.blocked, { type: 'block' });
    await adjust(byName.lowered, { type: 'limit', limit: 7, until: null });
    await adjust(byName.raised, { type: 'limit-add', amount: 9, until });
    await adjust(byName.topped, { type: 'top-up', amount: 11 });
    await adjust(byName.limited, { type: 'limit', limit: 90, until });
    await adjust(byName.reset, { type: 'reset' });
    await adjust(byName.emptied, { type: 'reset' });
    const hours = accountOf('changed', { window: { fixed: '1h' } });
    await spend([hours], 8);
    await hold([byName.held], 12, 30 * HOUR);
    await hold([byName.changed, byName.carried, byName.paid], 13, HOUR);
    await sink.read([]);
    await this.#keep();
  }

  /** Drops all entries of the ledger but the latest, and keeps that for what is put back. */
  async trim(kept: number): Promise<void> {
    const runner = new ScriptRunner(
      this.#owner as RedisClient,
      storeKeys(this.#namespace),
      10_000,
      null,
    );
    const options = sessionOptions({ now: () => this.time });
    const session = new StoreSession(runner, options, null);
    const pruner = new LedgerPruner(runner, session, this.keys[2], kept);
    pruner.wrote(128);
    await pruner.settled();
    await this.#keep();
  }

  /** Every byte of it, but for the time in the header. */
  async bytes(): Promise<string> {
    const [, due, ledger] = this.keys;
    const fields = Object.entries(await this.fields()).map(([field, value]) => {
      return `${field} ${value.toString('hex').slice(field === 'm' ? 16 : 0)}`;
    });
    const listed = await this.#owner.call('ZRANGE', due, 0, -1, 'WITHSCORES');
    return [
      ...fields.toSorted(),
      JSON.stringify([listed, await this.#owner.xrange(ledger, '-', '+')]),
    ].join('\n');
  }

  async #keep(): Promise<void> {
    this.#keptAt = this.time;
    this.#kept = await Promise.all(this.keys.map((key) => this.#owner.dumpBuffer(key)));
  }

  /** Makes it as it was, for another test of it. */
  async putBack(): Promise<void> {
    this.time = this.#keptAt;
    for (const [place, key] of this.keys.entries()) {
      await this.#owner.restore(key, 0, this.#kept[place] as Buffer, 'REPLACE');
    }
  }

  /** What comes of it: calls go on, end, and expire. The figures after that, and whether they are proved. */
  async future(): Promise<readonly string[]> {
    const sink = this.sink();
    const seen: string[] = [];
    const look = async (when: string) => {
      for (const { account, committed, held } of await sink.read(this.accounts)) {
        seen.push(`${when}: ${account} ${committed}+${held}`);
      }
      const { differences } = await sink.verify();
      for (const each of differences) seen.push(`${when}: ${JSON.stringify(each)}`);
    };
    const end = (id: string, account: string, amount: number) => {
      const charges = [{ account, amount }];
      return sink.settle({ id, outcome: 'known', charges, details: {} });
    };
    for (const [place, account] of this.accounts.entries()) {
      const claims = [claimOn(account, 1)];
      const { admitted } = await sink.reserve({ id: `f${place}`, claims, ttlMs: 2 * HOUR });
      seen.push(`${account.key} is ${admitted ? 'admitted' : 'refused'}`);
    }
    await look('then');
    for (const id of [`r2`, 'r7', 'f0', 'f3', 'f6']) await end(id, 'total', 4);
    await look('after settlements');
    this.time += 3 * HOUR;
    await sink.read([]);
    await look('after expiries');
    this.time += 30 * HOUR;
    await look('a day later');
    return seen;
  }

  fields(): Promise<Record<string, Buffer>> {
    return this.#owner.hgetallBuffer(this.keys[0]);
  }

  /** What is committed and held on all accounts; null where that cannot be read. */
  async figures(): Promise<readonly (string | null)[]> {
    const sink = this.sink();
    return Promise.all(
      this.accounts.map(async (account) => {
        try {
          const [{ committed, held } = { committed: 0, held: 0 }] = await sink.read([account]);
          return `${account.key}: ${committed}+${held}`;
        } catch {
          return null;
        }
      }),
    );
  }
}
