/** A value of unknown origin that is an object, read key by key. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The value as an object; undefined for anything else, arrays included. */
export function asObject(value: unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : undefined;
}

/** The object under a path of keys; undefined where a step of it is missing. */
export function objectAt(value: unknown, ...path: string[]): JsonObject | undefined {
  let object = asObject(value);
  for (const key of path) object = asObject(object?.[key]);
  return object;
}

export function listAt(object: JsonObject | undefined, key: string): readonly unknown[] {
  const value = object?.[key];
  return Array.isArray(value) ? value : [];
}

export function textAt(object: JsonObject | undefined, key: string): string | undefined {
  const value = object?.[key];
  return typeof value === 'string' ? value : undefined;
}

/** NaN and infinities included: whoever reads a figure decides what counts. */
export function numberAt(object: JsonObject | undefined, key: string): number | undefined {
  const value = object?.[key];
  return typeof value === 'number' ? value : undefined;
}
