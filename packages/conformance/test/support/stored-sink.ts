import {
  type Awaitable,
  MemoryUsageSink,
  SinkUnavailableError,
  type UsageSink,
  type VerifyReport,
} from '@hardcap/core';
import type { SinkContext, SinkUnderTest } from '../../src/index.ts';
import { wrapped } from './wrapped-sink.ts';

interface StoredSink extends SinkUnderTest {
  connect(): UsageSink;
  reopen(): UsageSink;
}

/**
 * Stands in for a sink over a store outside the process: it survives `reopen`, is shared by all who
 * connect, can lose its data, and can be tampered with.
 */
export function createStoredSink({ now }: SinkContext): StoredSink {
  let store = new MemoryUsageSink({ now });
  let isLost = false;
  const charged = new Map<string, number>();
  let falsified: { account: string; by: number } | undefined;

  const notLost = <Answer>(operation: () => Answer): Answer => {
    if (isLost) throw new SinkUnavailableError('The store lost its data.');
    return operation();
  };
  const falsify = (report: VerifyReport): VerifyReport => {
    if (falsified === undefined) return report;
    const { account, by } = falsified;
    const expected = charged.get(account) ?? 0;
    const figures = { counter: expected + by, expected };
    return {
      ...report,
      differences: [{ account, window: 'total', field: 'committed' as const, ...figures }],
    };
  };

  const connect = (): UsageSink =>
    wrapped(store, {
      reserve: (request) => notLost(() => store.reserve(request)),
      extend: (request) => notLost(() => store.extend(request)),
      settle: (request) =>
        notLost(() => {
          const answer = store.settle(request);
          for (const { account, amount } of 'charged' in answer ? answer.charged : []) {
            charged.set(account, (charged.get(account) ?? 0) + amount);
          }
          return answer;
        }),
      release: (id) => notLost(() => store.release(id)),
      read: (accounts) => notLost(() => store.read(accounts)),
      adjust: (request) => notLost(() => store.adjust(request)),
      entries: (query) => store.entries(query),
      verify: async () => falsify(await store.verify()),
      rebuild: async () => {
        const report = falsify(await store.rebuild());
        isLost = false;
        falsified = undefined;
        return report;
      },
      close: () => {},
    });

  return {
    sink: connect(),
    reopen: connect,
    connect,
    loseData: () => {
      store = new MemoryUsageSink({ now });
      isLost = true;
    },
    tamper: (account, by) => {
      falsified = { account, by };
    },
  };
}

/** Each operation arrives after the next few turns of the event loop, and so does its answer. */
export function overNetwork(sink: UsageSink): UsageSink {
  let calls = 0;
  const delayed = async <Answer>(operation: () => Awaitable<Answer>): Promise<Answer> => {
    calls += 1;
    const turns = (calls * 7) % 4;
    for (let turn = 0; turn < turns; turn += 1) await nextTurn();
    try {
      return await operation();
    } finally {
      for (let turn = 0; turn < 3 - turns; turn += 1) await nextTurn();
    }
  };
  return wrapped(sink, {
    reserve: (request) => delayed(() => sink.reserve(request)),
    extend: (request) => delayed(() => sink.extend(request)),
    settle: (request) => delayed(() => sink.settle(request)),
    release: (id) => delayed(() => sink.release(id)),
    read: (accounts) => delayed(() => sink.read(accounts)),
    adjust: (request) => delayed(() => sink.adjust(request)),
    verify: () => delayed(() => sink.verify()),
    rebuild: () => delayed(() => sink.rebuild()),
  });
}

function nextTurn(): Promise<void> {
  return new Promise((done) => setImmediate(done));
}
