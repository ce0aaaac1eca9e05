import type { SpendGuard } from '@hardcap/core';

// Registered, so that another copy of this package sees it too.
export const GUARDED: unique symbol = Symbol.for('hardcap.ai-sdk.guarded') as never;

/** Whether a model holds and settles its calls with this guard by itself. */
export function isGuardedBy(guard: SpendGuard, model: object): boolean {
  return (model as { readonly [GUARDED]?: SpendGuard })[GUARDED] === guard;
}
