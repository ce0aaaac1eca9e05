export type Method = (this: unknown, ...given: unknown[]) => unknown;

/** A method of an object, on its own; undefined where it has none of the name. */
export function methodOf(object: object, name: string): Method | undefined {
  const method = (object as Readonly<Record<string, unknown>>)[name];
  return typeof method === 'function' ? (method as Method) : undefined;
}
