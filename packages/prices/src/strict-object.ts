import { ConfigError } from '@hardcap/core';
import { shown } from './shown.ts';

/**
 * The value as a record with no other keys than these.
 *
 * @throws ConfigError naming the unknown key and the known ones.
 */
export function strictObject(
  value: unknown,
  keys: readonly string[],
  path: string,
): Record<string, unknown> {
  const record = plainObject(value, path);
  const unknown = Object.keys(record).find((key) => !keys.includes(key));
  if (unknown !== undefined) {
    throw new ConfigError(`${path}: "${unknown}" is not known here. Write ${keys.join(', ')}.`);
  }
  return record;
}

/** @throws ConfigError when the value is not a plain object. */
export function plainObject(value: unknown, path: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ConfigError(`${path}: write an object, not ${shown(value)}.`);
  }
  return value as Record<string, unknown>;
}
