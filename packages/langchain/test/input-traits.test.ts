import { HumanMessage, ToolMessage } from '@langchain/core/messages';
import { describe, expect, it } from 'vitest';
import { requestsAudio, requestsLongCacheWrites } from '../src/input-traits.ts';

describe('audio among the input', () => {
  it.each<readonly [string, object]>([
    ['OpenAI', { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }],
    ['Google', { type: 'media', mimeType: 'audio/mp3', data: 'AAAA' }],
    ['Google, without a type', { inlineData: { mimeType: 'audio/mp3', data: 'AAAA' } }],
    ['LangChain', { type: 'audio', source_type: 'base64', mime_type: 'audio/wav', data: 'AAAA' }],
    ['a file', { type: 'file', mime_type: 'audio/wav', data: 'AAAA' }],
    [
      'Anthropic',
      { type: 'document', source: { type: 'base64', media_type: 'audio/wav', data: 'A' } },
    ],
  ])('is seen in the shape of %s, in a message and in what a tool gave', (_, block) => {
    const content = [block] as never;
    expect(requestsAudio([new HumanMessage({ content })])).toBe(true);
    const result = [{ type: 'tool_result', content: [block] }] as never;
    expect(requestsAudio([new ToolMessage({ content: result, tool_call_id: 'c1' })])).toBe(true);
  });

  it('is nothing else', () => {
    const image = { type: 'image_url', image_url: 'https://example.com/audio.png' };
    expect(requestsAudio([new HumanMessage({ content: [image] })])).toBe(false);
    expect(requestsAudio([new HumanMessage('audio/wav')])).toBe(false);
  });
});

it.each(['tools', 'system'])('cache writes of an hour are seen in %s of a request', (place) => {
  const asking = (ttl: string) => ({ [place]: [{ cache_control: { type: 'ephemeral', ttl } }] });
  expect(requestsLongCacheWrites([], asking('1h'))).toBe(true);
  expect(requestsLongCacheWrites([], asking('5m'))).toBe(false);
});
