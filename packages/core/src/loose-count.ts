import type { JsonObject } from './json-object.ts';

/** A number as lenient servers read it, digits in a text included; undefined for anything else. */
export function looseCount(object: JsonObject | undefined, key: string): number | undefined {
  const value = object?.[key];
  const isText = typeof value === 'string' && value.trim() !== '';
  const count = isText ? Number(value) : value;
  return typeof count === 'number' && !Number.isNaN(count) ? count : undefined;
}
