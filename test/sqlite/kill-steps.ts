/** Where a process dies: between the steps of a call, or inside the transaction of one. */
export const STEPS = [
  'before reserve',
  'during reserve',
  'after reserve',
  'during extend',
  'mid-stream',
  'before settle',
  'during settle',
  'after settle',
] as const;

export type Step = (typeof STEPS)[number];

/** What a worker tells of a call: the answers that it got. */
export interface Told {
  readonly id: string;
  readonly what: 'held' | 'extended' | 'settled';
  readonly amount: number;
}

export const LIMIT = 1_000_000;
export const TTL_MS = 60_000;
