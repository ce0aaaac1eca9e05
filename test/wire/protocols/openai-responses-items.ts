import type { Generation, Part } from '../generation.ts';
import { type JsonObject, listAt, objectAt, textAt } from '../json-object.ts';

/** What OpenAI tells of the hidden reasoning where a summary is asked for. */
export const REASONING_SUMMARY = 'Thinking it over.';

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete';

export function itemId({ suffix }: Generation, part: Part): string {
  if (part.kind === 'reasoning') return `rs_${suffix}`;
  return part.kind === 'text' ? `msg_${suffix}` : `fc_${part.suffix}`;
}

/** One item of a response's output; in progress it is still empty. */
export function outputItem(generation: Generation, part: Part, status: ItemStatus): JsonObject {
  const id = itemId(generation, part);
  const text = status === 'in_progress' ? '' : part.tokens.join('');
  switch (part.kind) {
    case 'reasoning':
      return {
        id,
        type: 'reasoning',
        ...encrypted(generation),
        summary: summary(generation, status),
      };
    case 'text': {
      const content = status === 'in_progress' ? [] : [textContent(text)];
      return { id, type: 'message', status, content, role: 'assistant' };
    }
    case 'tool-call': {
      const call = { call_id: `call_${part.suffix}`, name: part.name };
      return { id, type: 'function_call', status, arguments: text, ...call };
    }
  }
}

export function textContent(text: string): JsonObject {
  return { type: 'output_text', annotations: [], logprobs: [], text };
}

export function wantsSummary({ request }: Generation): boolean {
  return textAt(objectAt(request.body, 'reasoning'), 'summary') !== undefined;
}

/** The limit cut off the last part that it let through. */
export function endStatus({ parts, truncated }: Generation, part: Part): ItemStatus {
  return truncated && part === parts.at(-1) ? 'incomplete' : 'completed';
}

function encrypted({ request }: Generation): JsonObject {
  return listAt(request.body, 'include').includes('reasoning.encrypted_content')
    ? { encrypted_content: 'gAAAAABwaXJl' }
    : {};
}

function summary(generation: Generation, status: ItemStatus): JsonObject[] {
  return status !== 'in_progress' && wantsSummary(generation)
    ? [{ type: 'summary_text', text: REASONING_SUMMARY }]
    : [];
}
