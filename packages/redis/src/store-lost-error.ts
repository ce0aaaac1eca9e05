import { SinkUnavailableError } from '@hardcap/core';

/** The store is not the one it was. */
export class StoreLostError extends SinkUnavailableError {
  /** @param why it was not rebuilt by itself, as a sentence */
  constructor(why: string = '') {
    super(
      'The store in Redis has lost its data: it was flushed, evicted, or put back to an earlier state, ' +
        `and what was spent before is not in it. Nothing was admitted. ${why === '' ? '' : `${why} `}` +
        'Call `rebuild()` to go on with what its ledger still says, or set `onStoreReset: "accept"`.',
    );
  }
}
