import { NO_USAGE, type TokenUsage } from './usage.ts';

/** The classes of tokens that a usage counts. */
export const TOKEN_CLASSES: readonly Exclude<keyof TokenUsage, 'fees'>[] = [
  'input',
  'cacheRead',
  'cacheWrite5m',
  'cacheWrite1h',
  'output',
  'reasoning',
  'audioInput',
  'audioOutput',
];

/** What one usage has more than another, class by class; below 0 where it has less. */
export function usageDifference(one: TokenUsage, other: TokenUsage): TokenUsage {
  const difference: { -readonly [Key in keyof TokenUsage]: TokenUsage[Key] } = { ...NO_USAGE };
  for (const each of TOKEN_CLASSES) {
    if (one[each] === undefined && other[each] === undefined) continue;
    difference[each] = (one[each] ?? 0) - (other[each] ?? 0);
  }
  if (one.fees === undefined && other.fees === undefined) return difference;
  const names = Object.keys({ ...one.fees, ...other.fees });
  const fee = (name: string): number => (one.fees?.[name] ?? 0) - (other.fees?.[name] ?? 0);
  difference.fees = Object.fromEntries(names.map((name) => [name, fee(name)]));
  return difference;
}
