import type { Generation } from '../generation.ts';

/** Calls of tools have no reason of their own. */
export function geminiFinish({ truncated }: Generation): string {
  return truncated ? 'MAX_TOKENS' : 'STOP';
}
