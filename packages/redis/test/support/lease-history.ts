import { type Account, SinkUnavailableError } from '@hardcap/core';
import { expect } from 'vitest';
import type { RedisClient } from '../../src/index.ts';
import type { LeasingSink } from '../../src/leasing-sink.ts';
import { accountOf, claimOn } from './accounts.ts';
import { LEASE_TTL, LeaseBench } from './lease-bench.ts';
import type { History, Operation } from './lease-operations.ts';
import { type Fate, UnsureClient } from './unsure-client.ts';

const TTL = 1e12;
const LIMIT = 300;
/** Leases of the first are charged when they expire, and so are those of the second, in windows of a day. */
const ACCOUNTS: readonly Account[] = [
  accountOf('a', { limit: LIMIT }),
  accountOf('b', { limit: LIMIT, window: { calendar: 'day' } }),
];
const ON: readonly (readonly Account[])[] = [ACCOUNTS, ACCOUNTS.slice(0, 1), ACCOUNTS.slice(1)];

interface Call {
  readonly id: string;
  readonly sink: LeasingSink;
  readonly accounts: readonly Account[];
  /** What it surely holds if it holds anything. */
  readonly amount: number;
  total: number;
  isHeld: boolean;
  /** What it costs; null before that is known. */
  cost: number | null;
  /** How it was asked to end, and whether that was answered. */
  end: 'none' | 'settle' | 'release';
  isAnswered: boolean;
}

/** Runs a history, and compares the store with what calls have cost. */
export class LeaseHistory {
  readonly #bench: LeaseBench;
  readonly #clients: readonly UnsureClient[];
  readonly #sinks: readonly LeasingSink[];
  readonly #fates: Fate[];
  readonly #others: LeasingSink;
  readonly #calls: Call[] = [];
  readonly #violations: string[] = [];
  #made = 0;

  constructor(client: RedisClient, { share, fates }: History) {
    this.#bench = new LeaseBench(client);
    this.#fates = [...fates];
    const next = () => this.#fates.shift() ?? 'answered';
    this.#clients = [0, 1].map(() => new UnsureClient(client, next, () => this.#look()));
    this.#sinks = this.#clients.map((own) => {
      return this.#bench.open(
        { share },
        { client: own, rememberedMs: 1e12, awaitedMs: 1e12, idleMs: 1e12 },
      );
    });
    this.#others = this.#bench.open(
      { after: 1e9 },
      { rememberedMs: 1e12, awaitedMs: 1e12, idleMs: 1e12 },
    );
  }

  async run({ steps }: History): Promise<void> {
    for (const { process, ms, operations } of steps) {
      this.#bench.time += ms;
      await Promise.all(operations.map((each) => this.#do(each, process)));
      await this.#look();
      expect(this.#violations).toEqual([]);
    }
    this.#fates.length = 0;
    await this.#end();
  }

  async #look(): Promise<void> {
    for (const { account, committed, held } of await this.#others.read(ACCOUNTS)) {
      if (committed + held > LIMIT) this.#violations.push(`${account}: ${committed} + ${held}`);
    }
  }

  async #do(each: Operation, process: number): Promise<void> {
    try {
      await this.#operate(each, process);
    } catch (error) {
      if (!SinkUnavailableError.isInstance(error)) throw error;
    }
  }

  async #operate(each: Operation, process: number): Promise<unknown> {
    switch (each.kind) {
      case 'reserve': {
        const call = this.#newCall(
          this.#sinks[process] as LeasingSink,
          ON[each.on] ?? [],
          each.amount,
        );
        return allOf([this.#reserve(call), each.twice ? this.#reserve(call) : null]);
      }
      case 'others': {
        const call = this.#newCall(this.#others, ON[each.on] ?? [], each.amount);
        return this.#reserve(call);
      }
      case 'block':
      case 'unblock': {
        const [account] = ON[each.on] as [Account];
        this.#made += 1;
        const sink = each.process === 0 ? this.#others : (this.#sinks[0] as LeasingSink);
        const change = { type: each.kind };
        return sink.adjust({ id: `adjust-${this.#made}`, account, change, details: {} });
      }
      case 'late':
        return this.#clients[each.process]?.runLate(each.place);
      case 'sync':
      case 'renew':
      case 'flush':
      case 'handOver':
      case 'verify':
        return this.#sinks[each.process]?.[each.kind]();
      default:
        return this.#onCall(each);
    }
  }

  async #onCall(each: Extract<Operation, { call: number }>): Promise<unknown> {
    const open = this.#calls.filter(({ isHeld, end }) => isHeld && end === 'none');
    const call = open[each.call % Math.max(1, open.length)];
    if (call === undefined) return null;
    if (each.kind === 'grow') return this.#grow(call, each.by);
    if (each.kind === 'release') return this.#release(call);
    call.cost = Math.floor((call.amount * (each.kind === 'settle' ? each.share : 50)) / 100);
    const isTwice = each.kind === 'settle' && each.twice;
    return allOf([
      each.kind === 'settleAndGrow' ? this.#grow(call, 5) : null,
      this.#settle(call),
      isTwice ? this.#settle(call) : null,
    ]);
  }

  #newCall(sink: LeasingSink, accounts: readonly Account[], amount: number): Call {
    this.#made += 1;
    const id = `call-${this.#made}`;
    const call: Call = {
      id,
      sink,
      accounts,
      amount,
      total: amount,
      isHeld: false,
      cost: null,
      end: 'none',
      isAnswered: false,
    };
    this.#calls.push(call);
    return call;
  }

  async #reserve(call: Call): Promise<void> {
    const { id, sink, accounts, amount } = call;
    const claims = accounts.map((account) => claimOn(account, amount));
    const { admitted } = await sink.reserve({ id, claims, ttlMs: TTL });
    call.isHeld ||= admitted;
  }

  async #grow(call: Call, by: number): Promise<void> {
    // What it costs is never more than what it was first asked for.
    const total = Math.max(call.amount, call.total + by);
    const claims = call.accounts.map((account) => claimOn(account, total));
    const { status } = await call.sink.extend({ id: call.id, claims, ttlMs: TTL });
    if (status === 'extended') call.total = total;
  }

  async #settle(call: Call): Promise<void> {
    call.end = 'settle';
    const charges = call.accounts.map(({ key }) => ({ account: key, amount: call.cost ?? 0 }));
    const { status } = await call.sink.settle({
      id: call.id,
      outcome: 'known',
      charges,
      details: {},
    });
    expect(['settled', 'late', 'already-resolved']).toContain(status);
    call.isAnswered = true;
  }

  async #release(call: Call): Promise<void> {
    [call.end, call.cost] = ['release', 0];
    const answer = await call.sink.release(call.id);
    if (call.isHeld) expect(['released', 'already-resolved']).toContain(answer.status);
    // With its lease, while its process slept: it is charged what it held.
    const hasExpired = answer.status === 'already-resolved' && answer.first === 'expired';
    if (hasExpired) call.cost = null;
    call.isAnswered = true;
  }

  async #end(): Promise<void> {
    for (const call of this.#calls) {
      if (call.isAnswered) continue;
      if (call.end === 'settle') await this.#settle(call);
      else if (call.isHeld && call.end === 'none') {
        call.cost = call.amount;
        await this.#settle(call);
      } else {
        await this.#release(call);
      }
    }
    for (const sink of this.#sinks) await sink.close();
    await this.#compare();
    for (const client of this.#clients) await client.runAllLate();
    await this.#compare();
    this.#bench.time += 2 * LEASE_TTL;
    await this.#compare();
    expect(this.#violations).toEqual([]);
  }

  async #compare(): Promise<void> {
    const costs = new Map<string, number>();
    const charged = new Map<string, number>();
    const expired = new Set<string>();
    for (const { id, accounts, cost } of this.#calls) {
      if (cost === null) expired.add(id);
      if (cost !== null && cost > 0)
        for (const { key } of accounts) costs.set(`${key} ${id}`, cost);
    }
    let sum = 0;
    for await (const { id, charges } of this.#others.entries()) {
      for (const { account, amount } of charges) {
        if (account === 'a') sum += amount;
        if (expired.has(subjectOf(id))) continue;
        const name = `${account} ${subjectOf(id)}`;
        const all = (charged.get(name) ?? 0) + amount;
        if (all === 0) charged.delete(name);
        else charged.set(name, all);
      }
    }
    expect(sorted(charged)).toEqual(sorted(costs));
    const readings = await this.#others.read(ACCOUNTS);
    expect(readings.map(({ held }) => held)).toEqual([0, 0]);
    expect(readings[0]?.committed).toBe(sum);
    const { differences, reservations } = await this.#others.verify();
    expect({ differences, reservations }).toEqual({ differences: [], reservations: 0 });
  }
}

/** Waits for all, also where one fails. */
async function allOf(started: readonly (Promise<void> | null)[]): Promise<void> {
  const outcomes = await Promise.allSettled(started);
  const failed = outcomes.find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}

/** The call or the lease that an entry is about. */
function subjectOf(id: string): string {
  return id
    .split(':')
    .slice(0, id.startsWith('lease:') ? 3 : 1)
    .join(':');
}

function sorted(sums: ReadonlyMap<string, number>): string[] {
  return [...sums].map(([name, sum]) => `${name}: ${sum}`).toSorted();
}
