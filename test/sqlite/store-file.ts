import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A file for a store, in a folder that is gone after the test. */
export function storeFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'hardcap-processes-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'usage.db');
}
