/** Where a process dies. */
export const STEPS = [
  'while the journal opens',
  'during replay',
  'before reserve',
  'after reserve',
  'mid-stream',
  'before settle',
  'during the write to the journal',
  'before the sink is told',
  'during settle',
  'before the mark',
  'at any moment',
] as const;

export type Step = (typeof STEPS)[number];

/** The hold of a call that a worker was admitted, and what it came to. */
export interface Told {
  readonly id: string;
  readonly held: number;
  readonly cost: number;
}

export const ACCOUNT = 'cap';
export const LIMIT = 1_000_000;
export const TTL_MS = 60_000;
