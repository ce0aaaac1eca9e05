import {
  type Claim,
  compileWindow,
  MemoryUsageSink,
  type SinkEntry,
  type UsageSink,
} from '@hardcap/core';
import { type BrokenSink, broken } from '../support/broken-sinks.ts';
import { createStoredSink } from '../support/stored-sink.ts';
import { asking, withRule, wrapped } from '../support/wrapped-sink.ts';

/** Every claim under other terms. */
function underTerms(change: (claim: Claim) => Claim) {
  return (sink: UsageSink): Partial<UsageSink> => ({
    reserve: (request) => sink.reserve(asking(request, change)),
    extend: (request) => sink.extend({ ...request, claims: request.claims.map(change) }),
    read: (accounts) =>
      sink.read(accounts.map((account) => change({ account, amount: 0 }).account)),
  });
}

/** Other entries than there are. */
function keeping(change: (entries: readonly SinkEntry[]) => readonly SinkEntry[]) {
  return (sink: UsageSink): Partial<UsageSink> => ({
    async *entries(query) {
      const entries: SinkEntry[] = [];
      for await (const entry of sink.entries(query)) entries.push(entry);
      yield* change(entries);
    },
  });
}

const TIME: readonly BrokenSink[] = [
  {
    fault: 'goes by a clock of its own',
    caughtBy: 'it is the clock that the sink was given',
    createSink: () => ({ sink: new MemoryUsageSink() }),
  },

  broken('goes by the clock of the client', 'a clock that is set back', (sink, { now }) => ({
    async reserve(request) {
      return { ...(await sink.reserve(request)), at: now() };
    },
  })),

  broken(
    'ignores which window pays',
    'attribute settle: the hold goes along',
    underTerms((claim) => withRule(claim, { attribute: 'reserve' })),
  ),

  broken(
    'counts a rolling window as a fixed one',
    'spend goes slot by slot, never too early',
    underTerms((claim) =>
      claim.account.rule.window.kind === 'rolling'
        ? withRule(claim, { window: compileWindow({ fixed: '1h' }) })
        : claim,
    ),
  ),

  broken(
    'takes a calendar day for 24 hours',
    'a day of 23 hours ends to the millisecond',
    underTerms((claim) =>
      claim.account.rule.window.kind === 'calendar'
        ? withRule(claim, { window: compileWindow({ fixed: '24h' }) })
        : claim,
    ),
  ),
];

const BOOKS: readonly BrokenSink[] = [
  broken(
    'writes no entry of an expiry',
    'after every step of a history',
    keeping((entries) => entries.filter(({ kind }) => kind !== 'expiry')),
  ),

  broken(
    'writes an entry twice',
    'every charge is in the ledger once',
    keeping((entries) => entries.flatMap((entry) => [entry, entry])),
  ),

  broken(
    'sorts the ledger by id',
    'entries are in the order in which they were written',
    keeping((entries) => entries.toSorted((one, other) => (one.id < other.id ? -1 : 1))),
  ),

  broken(
    'keeps no details',
    'an entry of a settlement says all of it',
    keeping((entries) => entries.map((entry) => ({ ...entry, details: {} }))),
  ),

  broken('counts the end of a query in', 'from a time on, and to before a time', (sink) => ({
    entries: ({ to, ...query } = {}) =>
      sink.entries(to === undefined ? query : { ...query, to: to + 1 }),
  })),

  {
    fault: 'proves nothing',
    caughtBy: 'a counter that was tampered with is found',
    capabilities: { tampers: true },
    createSink: (context) => ({
      ...createStoredSink(context),
      tamper: () => {},
    }),
  },

  {
    fault: 'misses what was deleted',
    caughtBy: 'counters of a window without end that were deleted are found',
    capabilities: { deletes: true },
    createSink: (context) => ({
      ...createStoredSink(context),
      deleteCounters: () => {},
    }),
  },

  broken('rebuilds what is over', 'what is over, or was never used, is not rebuilt', (sink) => ({
    rebuild: async () => {
      const report = await sink.rebuild();
      return { ...report, accounts: report.accounts + 1 };
    },
  })),
];

const ADJUSTING: readonly BrokenSink[] = [
  broken('adjusts again', 'top-up is done once by its id', (sink) => {
    let count = 0;
    return {
      adjust(request) {
        count += 1;
        return sink.adjust({ ...request, id: `${request.id}#${count}` });
      },
    };
  }),

  broken('keeps a temporary limit for good', 'a temporary limit ends by itself', (sink) => ({
    adjust(request) {
      const { change } = request;
      return sink.adjust(
        'until' in change ? { ...request, change: { ...change, until: null } } : request,
      );
    },
  })),

  broken('frees open holds by a reset', 'open holds stay', (sink) => {
    const ids = new Set<string>();
    return {
      reserve(request) {
        ids.add(request.id);
        return sink.reserve(request);
      },
      async adjust(request) {
        if (request.change.type === 'reset') for (const id of ids) await sink.release(id);
        return sink.adjust(request);
      },
    };
  }),

  broken('writes down no top-up', 'top-up is done once by its id, and ledgered once', (sink) => ({
    async *entries(query) {
      for await (const entry of sink.entries(query)) {
        if (entry.kind !== 'adjustment' || entry.change.type !== 'top-up') yield entry;
      }
    },
  })),
];

const STORING: readonly BrokenSink[] = [
  {
    fault: 'starts from nothing after a restart',
    caughtBy: 'with its counters, holds and ledger',
    capabilities: { durable: true },
    createSink: (context) => ({
      sink: new MemoryUsageSink(context),
      reopen: () => new MemoryUsageSink(context),
    }),
  },

  {
    fault: 'shares nothing',
    caughtBy: 'what one holds, the others see',
    capabilities: { shared: true },
    createSink: (context) => ({
      sink: new MemoryUsageSink(context),
      connect: () => new MemoryUsageSink(context),
    }),
  },

  {
    fault: 'takes a lost store for an empty one',
    caughtBy: 'the next call is refused, or told',
    capabilities: { loses: true },
    createSink: (context) => {
      let memory = new MemoryUsageSink(context);
      const sink = wrapped(memory, {
        reserve: (request) => memory.reserve(request),
        settle: (request) => memory.settle(request),
        read: (accounts) => memory.read(accounts),
      });
      const loseData = () => {
        memory = new MemoryUsageSink(context);
      };
      return { sink, loseData };
    },
  },
];

export const KEEPING: readonly BrokenSink[] = [...TIME, ...BOOKS, ...ADJUSTING, ...STORING];
