import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

export const HEADER = '{"hardcap":"journal","version":1}';

/** A path in a folder of its own, which is gone after the test. */
export function journalPath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'hardcap-journal-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'spend.journal');
}

/** Lines of a file, without the end of the last. */
export function linesOf(path: string): string[] {
  return readFileSync(path, 'utf8').trimEnd().split('\n');
}

/** The ids in a journal that are kept, and those that are marked as answered. */
export function idsIn(path: string): { sent: string[]; answered: string[] } {
  const records = linesOf(path)
    .slice(1)
    .map((line) => JSON.parse(line));
  return {
    sent: records.flatMap(({ send }) => (send === undefined ? [] : [send.id])),
    answered: records.flatMap(({ answered }) => answered ?? []),
  };
}

/** A line that settles a call at a cost. */
export function settleLine(id: string, amount: number): string {
  const charges = [{ account: 'cap', amount }];
  return JSON.stringify({ send: { id, outcome: 'known', charges, details: {} } });
}
