import type { ReserveRequest, SettleRequest, SinkNotice, UsageSink } from '@hardcap/core';
import { type BrokenSink, broken } from '../support/broken-sinks.ts';
import { asking, withRule } from '../support/wrapped-sink.ts';

/** Other amounts than those that a settlement asks for, given those that were reserved. */
function charging(change: (asked: number, held: number, place: number) => number) {
  return (sink: UsageSink): Partial<UsageSink> => {
    const held = new Map<string, number>();
    const key = (id: string, account: string) => `${id} ${account}`;
    return {
      reserve(request: ReserveRequest) {
        for (const { account, amount } of request.claims) {
          held.set(key(request.id, account.key), amount);
        }
        return sink.reserve(request);
      },
      settle(request: SettleRequest) {
        const charges = request.charges.map(({ account, amount }, place) => {
          const reserved = held.get(key(request.id, account)) ?? 0;
          const asked = amount === 'hold' ? reserved : amount;
          return { account, amount: change(asked, reserved, place) };
        });
        return sink.settle({ ...request, charges });
      },
    };
  };
}

/** True when the reservation has expired; asking renews one that is open. */
async function hasExpired(sink: UsageSink, id: string): Promise<boolean> {
  const answer = await sink.extend({ id, claims: [], ttlMs: 60_000 });
  return answer.status === 'already-resolved' && answer.first === 'expired';
}

export const SETTLING: readonly BrokenSink[] = [
  broken('settles twice', 'settled: settle', (sink) => {
    const requests = new Map<string, ReserveRequest>();
    return {
      reserve(request) {
        requests.set(request.id, request);
        return sink.reserve(request);
      },
      async settle(request) {
        const answer = await sink.settle(request);
        const reserved = requests.get(request.id);
        if (answer.status !== 'already-resolved' || reserved === undefined) return answer;
        const id = `${request.id}#`;
        await sink.reserve({ ...reserved, id });
        return sink.settle({ ...request, id });
      },
    };
  }),

  broken(
    'swallows what is above the hold',
    'above the hold, and the overshoot is said',
    charging(Math.min),
  ),

  broken('keeps what is below the hold', '4. above the hold', charging(Math.max)),

  broken(
    'charges the first account only',
    'a settlement charges all accounts',
    charging((asked, _, place) => (place === 0 ? asked : 0)),
  ),

  broken('counts in single precision', 'amounts up to 9e15 are exact', (sink) => ({
    reserve: (request) =>
      sink.reserve(
        asking(request, ({ account, amount }) => ({ account, amount: Math.fround(amount) })),
      ),
  })),

  broken('says nothing of an overshoot', 'above the hold, and the overshoot is said', (sink) => ({
    async settle(request) {
      const answer = await sink.settle(request);
      return 'overshoot' in answer ? { ...answer, overshoot: [] } : answer;
    },
  })),

  broken('ledgers a release', 'a release charges nothing and writes no entry', (sink) => ({
    async release(id) {
      const details = {};
      const { status, at } = await sink.settle({ id, outcome: 'not-sent', charges: [], details });
      if (status === 'never-held') return { status, at, notices: [] };
      return { status: 'released', at, notices: [] };
    },
  })),

  broken('releases on expiry', 'until its time is over it is held, then charged', (sink) => ({
    reserve: (request) =>
      sink.reserve(asking(request, (claim) => withRule(claim, { onExpiry: 'release' }))),
  })),

  broken(
    'charges on expiry where it should release',
    'released where the rule says so',
    (sink) => ({
      reserve: (request) =>
        sink.reserve(asking(request, (claim) => withRule(claim, { onExpiry: 'charge' }))),
    }),
  ),

  broken('never expires', 'until its time is over it is held, then charged', (sink) => ({
    reserve: (request) => sink.reserve({ ...request, ttlMs: 1e12 }),
  })),

  broken('ignores late settlements', 'a late settlement of 20', (sink) => ({
    async settle(request) {
      if (!(await hasExpired(sink, request.id))) return sink.settle(request);
      const { at } = await sink.release(request.id);
      return { status: 'already-resolved', first: 'expired', at, notices: [] };
    },
  })),

  broken('adds a late settlement to the charge', 'a late settlement of 20', (sink) => ({
    async settle(request) {
      if (!(await hasExpired(sink, request.id))) return sink.settle(request);
      const charges = request.charges.map(({ account, amount }) => ({
        account,
        amount: amount === 'hold' ? amount : amount + 60,
      }));
      return sink.settle({ ...request, charges });
    },
  })),

  broken(
    'remembers a release of what was never held',
    'a release before the reservation',
    (sink) => {
      const released = new Set<string>();
      return {
        async release(id) {
          released.add(id);
          return sink.release(id);
        },
        async reserve(request) {
          const answer = await sink.reserve(request);
          if (released.has(request.id)) await sink.release(request.id);
          return answer;
        },
      };
    },
  ),

  broken('notices the highest of several thresholds', 'one charge from 10 % to 120 %', (sink) => ({
    async settle(request) {
      const answer = await sink.settle(request);
      return { ...answer, notices: answer.notices.slice(-1) };
    },
  })),

  broken('notices thresholds on holds', 'settled spend counts, not holds', (sink) => ({
    async reserve(request) {
      const answer = await sink.reserve(request);
      const notices: SinkNotice[] = request.claims.map(({ account: { key, rule }, amount }) => ({
        type: 'threshold-crossed',
        account: key,
        budget: rule.budget,
        unit: rule.unit,
        threshold: 1,
        committed: amount,
        limit: amount,
        window: rule.window.at(answer.at),
        at: answer.at,
      }));
      return { ...answer, notices: [...answer.notices, ...notices] };
    },
  })),

  broken('notices thresholds again', 'a repeated settlement crosses nothing again', (sink) => {
    const noticed = new Map<string, readonly SinkNotice[]>();
    return {
      async settle(request) {
        const answer = await sink.settle(request);
        const notices = noticed.get(request.id) ?? answer.notices;
        noticed.set(request.id, notices);
        return { ...answer, notices };
      },
    };
  }),

  broken('notices a threshold with every charge above it', 'each is noticed once', (sink) => {
    const noticed: SinkNotice[] = [];
    return {
      async settle(request) {
        const answer = await sink.settle(request);
        noticed.push(...answer.notices);
        return { ...answer, notices: [...noticed] };
      },
    };
  }),

  broken('loses the notices that a reader comes upon', 'told to the next who can', (sink) => ({
    async read(accounts) {
      await sink.release('any');
      return sink.read(accounts);
    },
  })),

  broken('sweeps everything at once', 'no call sweeps more than 64', (sink) => ({
    async release(id) {
      const answer = await sink.release(id);
      const notices = [...answer.notices];
      for (let more = notices; more.length > 0; ) {
        more = [...(await sink.release(id)).notices];
        notices.push(...more);
      }
      return { ...answer, notices };
    },
  })),
];
