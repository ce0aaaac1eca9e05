import { usageSinkContract } from '@hardcap/conformance';
import BetterSqlite from 'better-sqlite3';
import { describe, it } from 'vitest';
import { createTestSink } from './support/test-store.ts';

const ALL = {
  clock: 'injected',
  durable: true,
  shared: true,
  loses: true,
  tampers: true,
  deletes: true,
} as const;

describe('SqliteUsageSink on node:sqlite', () => {
  usageSinkContract({ describe, it }, createTestSink, ALL);
});

describe('SqliteUsageSink on better-sqlite3', () => {
  const connect = (file: string) => new BetterSqlite(file);
  usageSinkContract({ describe, it }, (context) => createTestSink(context, {}, connect), {
    ...ALL,
    // A connection that was given is not known by its file.
    loses: false,
  });
});
