export type { SqliteDatabase, SqliteStatement, SqliteValue } from './driver.ts';
export type { PruneReport } from './prune-ledger.ts';
export { SqliteUsageSink, type SqliteUsageSinkOptions } from './sqlite-usage-sink.ts';
