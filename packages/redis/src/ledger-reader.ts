import type { EntryQuery, SinkEntry } from '@hardcap/core';
import { type EntryReply, readEntry } from './entry-text.ts';
import type { ScriptRunner } from './script-runner.ts';

const PAGE = 500;

/** Entries of a time, in the order they were written; their ids begin with it. */
export async function* readLedger(
  runner: ScriptRunner,
  ledger: string,
  { from, to }: EntryQuery,
  pageSize: number = PAGE,
): AsyncGenerator<SinkEntry> {
  let start = from === undefined || from <= 0 ? '-' : String(Math.ceil(from));
  const end = to === undefined ? '+' : `(${Math.max(0, Math.ceil(to))}`;
  for (;;) {
    const args = [ledger, start, end, 'COUNT', pageSize];
    const page = (await runner.command('XRANGE', ...args)) as readonly EntryReply[];
    for (const entry of page) yield readEntry(entry);
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) return;
    start = `(${last[0]}`;
  }
}
