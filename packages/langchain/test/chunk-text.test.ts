import { AIMessageChunk } from '@langchain/core/messages';
import { describe, expect, it } from 'vitest';
import { chunkText } from '../src/chunk-text.ts';

describe('what a chunk adds to the output', () => {
  it.each<readonly [string, object, string]>([
    ['text', { content: 'Yes.' }, 'Yes.'],
    ['text of a block', { content: [{ type: 'text', text: 'Yes.' }] }, 'Yes.'],
    ['thinking', { content: [{ type: 'thinking', thinking: 'Hm.' }] }, 'Hm.'],
    ['reasoning', { content: '', additional_kwargs: { reasoning_content: 'Hm.' } }, 'Hm.'],
    ['arguments of a tool', { content: '', tool_call_chunks: [{ args: '{"a":' }] }, '{"a":'],
    [
      'arguments of a function',
      { content: '', additional_kwargs: { function_call: { name: 'f', arguments: '{"a":' } } },
      '{"a":',
    ],
    ['nothing', { content: '' }, ''],
  ])('is %s', (_, fields, text) => {
    expect(chunkText(new AIMessageChunk(fields as never) as never)).toBe(text);
  });
});
