import type { MemoryAccount } from './memory-account.ts';
import { MemoryCharge } from './memory-charge.ts';

/** The charges that bring the settled spend of the current window to 0, oldest slot first. */
export function resetCharges({ key, rule, current }: MemoryAccount): MemoryCharge[] {
  const spent: [slot: number | null, amount: number][] =
    rule.window.kind === 'rolling'
      ? [...current.slots].sort(([one], [other]) => one - other)
      : [[null, current.committed]];
  return spent
    .filter(([, amount]) => amount !== 0)
    .map(([slot, amount]) => new MemoryCharge(key, rule, current, slot, -amount, 0));
}
