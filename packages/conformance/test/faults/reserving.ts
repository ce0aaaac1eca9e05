import {
  type Account,
  HardcapError,
  type Refusal,
  type ReserveAnswer,
  type ReserveRequest,
  type UsageSink,
} from '@hardcap/core';
import { type BrokenSink, broken, timeOf } from '../support/broken-sinks.ts';
import { asking, withRule } from '../support/wrapped-sink.ts';

/** A denial, as it should not be answered. */
function refusing(change: (refusals: readonly Refusal[]) => readonly Refusal[]) {
  return (sink: UsageSink) => ({
    reserve: async (request: ReserveRequest): Promise<ReserveAnswer> => {
      const answer = await sink.reserve(request);
      if (answer.admitted) return answer;
      return { ...answer, refusals: change(answer.refusals) };
    },
  });
}

/** Something that a denial should not do. */
function onDenial(act: (sink: UsageSink, request: ReserveRequest) => Promise<unknown>) {
  return (sink: UsageSink) => ({
    reserve: async (request: ReserveRequest): Promise<ReserveAnswer> => {
      const answer = await sink.reserve(request);
      if (!answer.admitted) await act(sink, request);
      return answer;
    },
  });
}

export const RESERVING: readonly BrokenSink[] = [
  broken('looks before it holds, in two steps', 'parallel holds never pass the limit', (sink) => ({
    async reserve(request) {
      const readings = await sink.read(request.claims.map(({ account }) => account));
      await new Promise((done) => setTimeout(done, 0));
      const fits = request.claims.every(({ account: { rule }, amount }, place) => {
        const { committed = 0, held = 0 } = readings[place] ?? {};
        return rule.limit === null || committed + held + amount <= rule.limit;
      });
      if (!fits) return sink.reserve(request);
      return sink.reserve(asking(request, (claim) => withRule(claim, { limit: null })));
    },
  })),

  broken('refuses in earnest what is only watched', 'a call above its limit is held', (sink) => ({
    reserve: (request) => {
      return sink.reserve(asking(request, (claim) => withRule(claim, { shadow: false })));
    },
  })),

  broken('says nothing of what it would have refused', 'who would have refused', (sink) => ({
    reserve: async (request) => {
      const { refusals: _, ...answer } = { refusals: [], ...(await sink.reserve(request)) };
      return answer.admitted ? answer : sink.reserve(request);
    },
  })),

  broken('cuts what is only watched', 'a hold grows above its limit', (sink) => ({
    extend: (request) => {
      return sink.extend(asking(request, (claim) => withRule(claim, { shadow: false })));
    },
  })),

  broken('leaves the last unit unused', 'use all of it', (sink) => ({
    reserve: (request) =>
      sink.reserve(
        asking(request, (claim) => {
          const { limit } = claim.account.rule;
          return limit === null ? claim : withRule(claim, { limit: limit - 1 });
        }),
      ),
  })),

  broken('holds what fits of a denied call', 'one account that refuses is enough', (sink) =>
    onDenial(async (_, request) => {
      for (const [place, claim] of request.claims.entries()) {
        await sink.reserve({ ...request, id: `${request.id}#${place}`, claims: [claim] });
      }
    })(sink),
  ),

  broken(
    'ledgers a denial',
    'counters, ledger and reservations are as they were',
    onDenial(async (sink, { id, claims }) => {
      const account = claims[0]?.account as Account;
      const change = { type: 'top-up', amount: 0 } as const;
      await sink.adjust({ id: `denial of ${id}`, account, change, details: {} });
    }),
  ),

  broken('keeps holds alive by denials', 'its hold expires in time', (sink) => {
    const open = new Map<string, ReserveRequest>();
    return {
      async reserve(request) {
        const answer = await sink.reserve(request);
        if (answer.admitted) open.set(request.id, request);
        else for (const each of open.values()) await sink.extend(each);
        return answer;
      },
    };
  }),

  broken('counts no denials', 'denials are counted', (sink) => ({
    async read(accounts) {
      return (await sink.read(accounts)).map((reading) => ({ ...reading, denials: 0 }));
    },
  })),

  broken('remembers denials for ever', 'denials are counted by the day', (sink) => {
    const denials = new Map<string, number>();
    return {
      async reserve(request) {
        const answer = await sink.reserve(request);
        for (const { account } of answer.refusals ?? []) {
          denials.set(account, (denials.get(account) ?? 0) + 1);
        }
        return answer;
      },
      async read(accounts) {
        const readings = await sink.read(accounts);
        return readings.map((reading) => {
          return { ...reading, denials: denials.get(reading.account) ?? 0 };
        });
      },
    };
  }),

  broken('uses up a denied id', 'a denied id was never held', (sink) => {
    const denied = new Set<string>();
    return {
      async reserve(request) {
        if (denied.has(request.id)) return sink.reserve({ ...request, claims: [] });
        const answer = await sink.reserve(request);
        if (!answer.admitted) denied.add(request.id);
        return answer;
      },
    };
  }),

  broken(
    'names one refusal of several',
    'a denial names all that refuse',
    refusing((refusals) => refusals.slice(0, 1)),
  ),

  broken(
    'takes spent for held',
    'in every standing of a total',
    refusing((refusals) =>
      refusals.map((refusal) => ({
        ...refusal,
        kind: refusal.kind === 'spent' ? 'held' : refusal.kind,
      })),
    ),
  ),

  broken(
    'gives no hint',
    'in every standing of a fixed window',
    refusing((refusals) => refusals.map((refusal) => ({ ...refusal, retryAfterMs: null }))),
  ),

  broken('takes any claims for an id', 'other accounts or amounts are an error', (sink) => ({
    async reserve(request) {
      try {
        return await sink.reserve(request);
      } catch (error) {
        if (!HardcapError.isInstance(error) || error.code !== 'RESERVATION_MISMATCH') throw error;
        const at = await timeOf(sink);
        return { admitted: true, expiresAt: at + request.ttlMs, at, notices: [] };
      }
    },
  })),

  broken('holds again for a repeated id', 'gives the same answer and one hold', (sink) => {
    const known = new Set<string>();
    return {
      async reserve(request) {
        const isRepeated = known.has(request.id);
        known.add(request.id);
        const answer = await sink.reserve(request);
        if (isRepeated) await sink.reserve({ ...request, id: `${request.id}#` });
        return answer;
      },
    };
  }),

  broken(
    'keeps the limit that came first',
    'a limit that came with a call acts at once',
    (sink) => {
      const first = new Map<string, number | null>();
      return {
        reserve: (request) =>
          sink.reserve(
            asking(request, (claim) => {
              const { key, rule } = claim.account;
              const limit = first.get(key) ?? rule.limit;
              first.set(key, limit);
              return withRule(claim, { limit });
            }),
          ),
      };
    },
  ),

  broken('cuts ids that are too long', 'an id has 1 to 64 characters', (sink) => ({
    reserve: (request) => sink.reserve({ ...request, id: request.id.slice(0, 64) }),
  })),

  broken('rounds what is no amount', 'what is no amount is refused', (sink) => ({
    reserve: (request) =>
      sink.reserve(asking(request, (claim) => ({ ...claim, amount: Math.round(claim.amount) }))),
  })),

  broken('refuses to renew a hold above a lowered limit', 'may shrink a hold', (sink) => ({
    async extend(request) {
      const [claim] = request.claims;
      const { limit = null } = claim?.account.rule ?? {};
      if (claim === undefined || limit === null || claim.amount <= limit) {
        return sink.extend(request);
      }
      return { status: 'refused', refusals: [], at: await timeOf(sink), notices: [] };
    },
  })),

  broken('adds extensions up', 'changes nothing but the expiry', (sink) => {
    const held = new Map<string, number>();
    return {
      extend(request) {
        const claims = request.claims.map(({ account, amount }) => {
          const total = (held.get(account.key) ?? 0) + amount;
          held.set(account.key, total);
          return { account, amount: total };
        });
        return sink.extend({ ...request, claims });
      },
    };
  }),

  broken('keeps a hold alive by a refused extension', 'does not keep it alive', (sink) => ({
    async extend(request) {
      const answer = await sink.extend(request);
      if (answer.status === 'refused') await sink.extend({ ...request, claims: [] });
      return answer;
    },
  })),
];
