import type { Settlement, SpendCall } from '@hardcap/core';

/** Sees every item of a stream, and knows what it comes to. */
export interface Tally {
  /** Something that costs was seen, so what was metered is a fair charge. */
  readonly hasBegun: boolean;
  /** What else costs, no item tells: a picture, or what a tool at the provider has read. */
  readonly hasUnseen: boolean;
  /** Meters an item. True, or a promise of whether it is covered; false when the call must stop. */
  count(item: unknown): boolean | Promise<boolean>;
  /**
   * The settlement of what was reported; undefined where it is not all.
   *
   * @param isAtEnd the stream came to its end, so nothing is missing of what was reported at all.
   */
  reported(isAtEnd: boolean): Settlement | undefined;
}

/** The settlement of a stream that had begun, and that nobody has reported on. */
export function unreported(
  { hasUnseen }: Pick<Tally, 'hasUnseen'>,
  { admittedOutputTokens }: SpendCall,
): Settlement {
  // A call that holds nothing would be charged nothing.
  const isHeld = admittedOutputTokens !== null;
  return { outcome: hasUnseen && isHeld ? 'unknown' : 'metered' };
}
