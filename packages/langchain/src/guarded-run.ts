import type { SpendGuard } from '@hardcap/core';

// Registered, so that another copy of this package sees it too.
const GUARDS: unique symbol = Symbol.for('hardcap.langchain.run-guards') as never;

interface Marked {
  readonly [GUARDS]?: readonly SpendGuard[];
}

/**
 * Marks what a guarded model is serialised as, which every callback of its runs is handed: it is how
 * a callback handler learns that the calls of a run are reserved already. Nobody else sees the mark.
 */
export function markRun(serialized: unknown, guard: SpendGuard): unknown {
  if (typeof serialized !== 'object' || serialized === null) return serialized;
  const guards = [...((serialized as Marked)[GUARDS] ?? []), guard];
  // A copy: models of one's own may give the same object to runs that nobody reserves.
  return Object.defineProperty({ ...serialized }, GUARDS, { value: guards, configurable: true });
}

/** Whether this guard reserves the calls of a run by itself. */
export function isReservedBy(guard: SpendGuard, serialized: unknown): boolean {
  return (serialized as Marked | null | undefined)?.[GUARDS]?.includes(guard) === true;
}
