import type { Awaitable, UsageSink } from '@hardcap/core';

/** What the suite needs of a test runner: that of vitest, node:test, Jest and Mocha all fit. */
export interface TestApi {
  describe(name: string, body: () => void): unknown;
  it(name: string, body: () => Promise<void>): unknown;
}

export interface SinkContext {
  /** Ms since the epoch. A sink with `clock: 'injected'` knows no other time. */
  readonly now: () => number;
}

/** A sink over a store of its own, in which nothing has happened yet. */
export interface SinkUnderTest {
  readonly sink: UsageSink;
  /** Called once a test is over, when every sink of it has been closed. */
  close?(): Awaitable<void>;
  /** For `durable`: ends the sink as a restart of the process would, and opens its store again. */
  reopen?(): Awaitable<UsageSink>;
  /** For `shared`: another sink over the same store, as a second process would have it. */
  connect?(context: SinkContext): Awaitable<UsageSink>;
  /** For `loses`: empties the store behind the sink's back. */
  loseData?(): Awaitable<void>;
  /** For `tampers`: adds to the settled spend of an account's current window, and not to the ledger. */
  tamper?(account: string, by: number): Awaitable<void>;
  /** For `deletes`: deletes the counters of an account, and neither its open holds nor the ledger. */
  deleteCounters?(account: string): Awaitable<void>;
}

/** Called once for each test. */
export type CreateSink = (context: SinkContext) => Awaitable<SinkUnderTest>;

/** What a sink can do, or can be made to do, beyond what every sink must. */
export interface SinkCapabilities {
  /**
   * `injected`: the sink's clock is `context.now`, so that time is driven to the millisecond.
   * `own`: the sink has a clock of its own; time passes in real, short intervals.
   */
  readonly clock: 'injected' | 'own';
  /** Everything is there again after `reopen`. @default false */
  readonly durable?: boolean;
  /** Several sinks, made by `connect`, share one store. @default false */
  readonly shared?: boolean;
  /** The details that come with a reservation are kept for the entry of its expiry. @default true */
  readonly keepsDetails?: boolean;
  /** The store can be emptied by `loseData`. @default false */
  readonly loses?: boolean;
  /** A counter can be falsified by `tamper`. @default false */
  readonly tampers?: boolean;
  /** The counters of an account can be deleted by `deleteCounters`. @default false */
  readonly deletes?: boolean;
}
