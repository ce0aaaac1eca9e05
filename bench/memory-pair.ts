import { type CallRequest, createSpendGuard } from '@hardcap/core';
import { createPriceBook } from '@hardcap/prices';
import type { Gate } from './gate.ts';
import { type Contender, quietNanoseconds } from './rounds.ts';

const USAGE = {
  input: 400,
  cacheRead: 0,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  output: 60,
  reasoning: 0,
};
const USERS = Array.from({ length: 100 }, (_, number) => `user-${number}`);

function requestOf(index: number): CallRequest {
  const user = USERS[index % USERS.length] as string;
  return {
    identity: { user, org: 'acme' },
    provider: 'openai',
    model: 'gpt-4.1-mini',
    inputTokens: 500,
    maxOutputTokens: 100,
  };
}

/** A call through the public API: three accounts, held and settled, with its ledger entry. */
function hardcapPair(): Contender {
  const guard = createSpendGuard({
    prices: createPriceBook(),
    budgets: [
      { name: 'user-daily', per: ['user'], limit: { usd: '9000000' }, window: { calendar: 'day' } },
      {
        name: 'org-monthly',
        per: ['org'],
        limit: { usd: '9000000' },
        window: { calendar: 'month' },
      },
      { name: 'tpm', per: ['user'], limit: { tokens: 9e15 }, window: { fixed: '1m' } },
    ],
  });
  return {
    name: 'hardcap',
    async run(count) {
      for (let index = 0; index < count; index += 1) {
        const reservation = await guard.reserve(requestOf(index));
        if (!reservation.admitted) throw new Error('The benchmark ran into its cap.');
        await reservation.call.settle({ outcome: 'known', usage: USAGE });
      }
    },
  };
}

/** What the caller does anyway: makes the same requests, and awaits two answers. */
function callerPair(): Contender {
  const answer = async (given: unknown): Promise<unknown> => given;
  return {
    name: 'caller',
    async run(count) {
      for (let index = 0; index < count; index += 1) {
        if ((await answer(requestOf(index))) === null) throw new Error('There was an answer.');
        await answer({ outcome: 'known', usage: USAGE });
      }
    },
  };
}

/**
 * The least that could be done: three counters in maps behind two async functions, with a hold that
 * knows when it expires, and no books.
 */
function bareMapPair(): Contender {
  const counters = new Map<string, { committed: number; held: number }>();
  const open = new Map<number, { readonly keys: string[]; readonly expiresAt: number }>();
  let next = 0;
  async function reserve(user: string, amount: number): Promise<number> {
    const keys = [`user-daily|user=${user}`, 'org-monthly|org=acme', `tpm|user=${user}`];
    for (const key of keys) {
      let counter = counters.get(key);
      if (counter === undefined) {
        counter = { committed: 0, held: 0 };
        counters.set(key, counter);
      }
      if (counter.committed + counter.held + amount > 9e15) throw new Error('spent');
      counter.held += amount;
    }
    next += 1;
    open.set(next, { keys, expiresAt: Date.now() + 120_000 });
    return next;
  }
  async function settle(id: number, held: number, amount: number): Promise<void> {
    for (const key of open.get(id)?.keys ?? []) {
      const counter = counters.get(key);
      if (counter === undefined) continue;
      counter.held -= held;
      counter.committed += amount;
    }
    open.delete(id);
  }
  return {
    name: 'bare maps',
    async run(count) {
      for (let index = 0; index < count; index += 1) {
        const id = await reserve(USERS[index % USERS.length] as string, 1_000);
        await settle(id, 1_000, 500);
      }
    },
  };
}

// The gate of 1 µs was set on a machine that does the bare pair in 370 ns; on any other it moves along.
const GATE_NANOSECONDS = 1_000;
const BARE_NANOSECONDS_THERE = 370;

/** Reserve and settle over three accounts in memory, through the public API: hardcap's own time. */
export async function memoryPairGate(): Promise<Gate> {
  const contenders = [hardcapPair(), bareMapPair(), callerPair()];
  const times = await quietNanoseconds(contenders, { rounds: 31, count: 20_000 });
  const bare = times.get('bare maps') as number;
  const caller = times.get('caller') as number;
  return {
    what: 'memory: reserve + settle, 3 accounts',
    measured: (times.get('hardcap') as number) - caller,
    atMost: (GATE_NANOSECONDS * bare) / BARE_NANOSECONDS_THERE,
    unit: 'ns',
    note:
      `the caller's loop ${caller.toFixed(0)} ns, bare maps ${bare.toFixed(0)} ns; ` +
      `gate = 1 µs where bare maps take ${BARE_NANOSECONDS_THERE} ns`,
  };
}
