import type { CallRequest, Identity, SpendCall, SpendGuard } from '@hardcap/core';

/** What was reserved for a call before it is made. */
export interface EarlyReservation {
  readonly spend: SpendCall;
  /** What it was reserved for. */
  readonly request: CallRequest;
}

const waiting: WeakMap<SpendGuard, Map<string, EarlyReservation>> = new WeakMap();

/** Keeps a reservation until its call is made, or it is taken back. */
export function keepEarly(guard: SpendGuard, id: string, early: EarlyReservation): void {
  const known = waiting.get(guard) ?? new Map<string, EarlyReservation>();
  waiting.set(guard, known.set(id, early));
}

/** Undefined where it was used or taken back already, or was made in another process. */
export function takeEarly(guard: SpendGuard, id: string): EarlyReservation | undefined {
  const known = waiting.get(guard);
  const early = known?.get(id);
  known?.delete(id);
  return early;
}

const TRAITS = ['unseenInput', 'hiddenReasoning', 'longCacheWrites', 'audio'] as const;

/** Whether a call is no more than what was reserved for it. */
export function covers({ request: held }: EarlyReservation, call: CallRequest): boolean {
  const most = Number.MAX_SAFE_INTEGER;
  return (
    held.provider === call.provider &&
    held.model === call.model &&
    held.serviceTier === call.serviceTier &&
    isSame(held.identity, call.identity) &&
    (call.fallbackModels ?? []).every((model) => held.fallbackModels?.includes(model) === true) &&
    held.inputTokens >= call.inputTokens &&
    (held.maxOutputTokens ?? most) >= (call.maxOutputTokens ?? most) &&
    TRAITS.every((trait) => held[trait] === true || call[trait] !== true)
  );
}

/** A call that names somebody else is not paid for by whom it was reserved for. */
function isSame(one: Identity = {}, other: Identity = {}): boolean {
  const dimensions = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...dimensions].every((dimension) => one[dimension] === other[dimension]);
}
