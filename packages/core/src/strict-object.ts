import * as z from 'zod';

/** An object without other fields; what is wrong is told with those that there are. */
export function strictObject<Shape extends z.ZodRawShape>(
  shape: Shape,
): z.ZodObject<Shape, z.core.$strict> {
  const fields = Object.keys(shape).join(', ');
  const error = (issue: { readonly code?: string; readonly keys?: unknown }): string => {
    if (issue.code !== 'unrecognized_keys') return `write an object with ${fields}`;
    const keys = (issue.keys as string[]).map((key) => `"${key}"`);
    return `has no field ${keys.join(', ')}. It has ${fields}`;
  };
  return z.strictObject(shape, { error });
}
