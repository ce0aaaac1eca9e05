import type { JsonObject } from '../json-object.ts';

/** One event of an event stream; OpenAI Chat and Gemini give their events no name. */
export function serverSentEvent(data: JsonObject, name?: string): string {
  const line = `data: ${JSON.stringify(data)}\n\n`;
  return name === undefined ? line : `event: ${name}\n${line}`;
}
