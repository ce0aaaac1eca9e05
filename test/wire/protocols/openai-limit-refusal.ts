import type { JsonObject } from '../json-object.ts';
import { numberAt } from '../json-object.ts';
import type { Refusal } from './protocol.ts';

/** OpenAI's answer to an output limit that is too low for it. */
export function openaiLimitRefusal(
  body: JsonObject,
  parameter: string,
  minimum: number,
): Refusal | null {
  const limit = numberAt(body, parameter);
  if (limit === undefined || limit >= minimum) return null;
  return {
    status: 400,
    message: `Invalid '${parameter}': integer below minimum value. Expected a value >= ${minimum}, but got ${limit} instead.`,
    parameter,
    code: 'integer_below_min_value',
  };
}
