import type { JsonObject } from '../json-object.ts';
import { flagAt, objectAt } from '../json-object.ts';

const LETTERS = 'Qup1BsQ3yhjoJbEFdThyoKFvRIdwxH03';

/**
 * OpenAI pads its deltas against attacks on packet sizes, unless asked not to: text in an event
 * that nobody generated, and that nobody must meter.
 */
export function openaiObfuscation(body: JsonObject, delta: string, width: number): JsonObject {
  if (flagAt(objectAt(body, 'stream_options'), 'include_obfuscation') === false) return {};
  return { obfuscation: LETTERS.slice(0, width - (delta.length % width)) };
}
