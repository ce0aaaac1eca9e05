import type { BoundAccount } from './bound-budgets.ts';
import { InvalidArgumentError } from './errors.ts';
import { compileWindow } from './window.ts';

/** What every process must know of a grant to make calls on it. */
export interface GrantTerms {
  readonly id: string;
  /** How often it may be divided further. */
  readonly depth: number;
  /** Keys of the accounts that it was taken from, and those that these were taken from. */
  readonly funded: readonly string[];
}

const WINDOW = compileWindow('total');

/**
 * The account of a grant. What may be spent on it is set in the sink, so that nobody can make a grant
 * by writing a token: without that, its limit is 0.
 */
export function grantAccount(id: string): BoundAccount {
  return {
    key: `grant|grant=${id}`,
    rule: {
      budget: 'grant',
      per: ['grant'],
      unit: 'usd',
      limit: 0,
      tokenCount: 'total',
      blocked: false,
      window: WINDOW,
      attribute: 'reserve',
      onExpiry: 'charge',
      onUnknown: 'charge',
      thresholds: [1_000_000],
      match: [],
    },
  };
}

/** @throws InvalidArgumentError for what is no token. */
export function parseToken(token: string): GrantTerms {
  try {
    const { id, depth, funded } = JSON.parse(token) as GrantTerms;
    const isSound = /^[0-9a-f-]{36}$/.test(id) && Number.isSafeInteger(depth) && depth >= 0;
    const isText = (key: unknown): boolean => typeof key === 'string';
    if (isSound && funded.every(isText)) return { id, depth, funded };
  } catch {
    // What it is instead does not matter.
  }
  throw new InvalidArgumentError(
    'This is no token of a grant. Give `token` of a grant as it was, to guard.grant(token).',
  );
}
