import type { Generation } from '../generation.ts';

/** Calls of tools have no reason of their own. */
export function geminiFinish({ truncated, continuesAt }: Generation): string {
  if (continuesAt !== null) return 'CONTINUATION';
  return truncated ? 'MAX_TOKENS' : 'STOP';
}
