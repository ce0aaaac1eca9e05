import { ConfigError, HardcapError, SinkUnavailableError } from '@hardcap/core';
import { notAStore } from './check-database.ts';
import { isBusy, isClosedToUs, isDamaged, isNoDatabase } from './driver.ts';

/** What a caller is told of a store that could not be opened. @param waitedMs for others. */
export function openingError(error: unknown, name: string, waitedMs: number): HardcapError {
  if (HardcapError.isInstance(error)) return error;
  const cause = { cause: error };
  if (isNoDatabase(error)) return notAStore(name, error);
  if (isDamaged(error)) {
    const advice = 'Restore it from a backup, or move it away to start with an empty ledger.';
    return new ConfigError(`${name} is damaged, and was left as it is. ${advice}`, cause);
  }
  if (isClosedToUs(error)) {
    const advice = 'Give a file in a folder that exists, both writable for this process.';
    return new ConfigError(`${name} cannot be opened for writing. ${advice}`, cause);
  }
  if (isBusy(error)) {
    const message = `${name} was locked by another process for ${waitedMs} ms while it was opened.`;
    return new SinkUnavailableError(`${message} Try again.`, cause);
  }
  const reason = error instanceof Error ? error.message : String(error);
  return new SinkUnavailableError(`${name} could not be opened: ${reason}.`, cause);
}
