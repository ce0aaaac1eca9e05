import type { Settlement } from '@hardcap/core';

/** Sees every item of a stream, and knows what it comes to. */
export interface Tally {
  /** Something that costs was seen, so what was metered is a fair charge. */
  readonly hasBegun: boolean;
  /** Meters an item. True, or a promise of whether it is covered; false when the call must stop. */
  count(item: unknown): boolean | Promise<boolean>;
  /**
   * The settlement of what was reported; undefined where it is not all.
   *
   * @param isAtEnd the stream came to its end, so nothing is missing of what was reported at all.
   */
  reported(isAtEnd: boolean): Settlement | undefined;
}
