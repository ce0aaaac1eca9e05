import { SinkUnavailableError } from '@hardcap/core';

/** A row is gone that an open reservation needs. */
export class MissingRowError extends SinkUnavailableError {
  constructor(what: string) {
    super(
      `The store has no ${what} any more: its row was deleted, though a call holds on it. Nothing was ` +
        'done. Call `rebuild()` to have it made from the ledger.',
    );
  }
}
