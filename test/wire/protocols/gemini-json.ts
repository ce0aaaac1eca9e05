import type { JsonObject } from '../json-object.ts';

/** JSON as Google puts it on one line: a space after colons and none after commas. */
export function geminiLine(value: JsonObject): string {
  return JSON.stringify(value, null, 1).replace(/\n */g, '');
}

/** An answer or an error that is no event. */
export function geminiBody(value: JsonObject): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** Gemini's events have no names, and end like lines of HTTP. */
export function geminiEvent(value: JsonObject): string {
  return `data: ${geminiLine(value)}\r\n\r\n`;
}
