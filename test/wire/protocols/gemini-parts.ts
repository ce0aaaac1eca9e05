import type { Generation, Part } from '../generation.ts';
import { type JsonObject, objectAt } from '../json-object.ts';

/** Comes back with the next request, so that the model can go on with its thoughts. */
export const THOUGHT_SIGNATURE = 'EqUCCqICAb4+9vsWireWireWire';

export function showsThoughts({ request }: Pick<Generation, 'request'>): boolean {
  const config = objectAt(objectAt(request.body, 'generationConfig'), 'thinkingConfig');
  return config['includeThoughts'] === true;
}

export function hasThought({ parts }: Generation): boolean {
  return parts.some(({ kind }) => kind === 'reasoning');
}

/** The part of a message that holds this text; null for a call whose arguments were cut short. */
export function geminiPart(part: Part, text: string): JsonObject | null {
  switch (part.kind) {
    case 'reasoning':
      return { text, thought: true };
    case 'text':
      return { text };
    case 'tool-call': {
      const args = parsed(text);
      if (args === undefined) return null;
      return { functionCall: { name: part.name, args, id: `call_${part.suffix}` } };
    }
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
