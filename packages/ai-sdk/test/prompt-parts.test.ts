import { describe, expect, it } from 'vitest';
import { requestsAudio, requestsLongCacheWrites } from '../src/input-traits.ts';
import { promptParts } from '../src/prompt-parts.ts';

const user = (...content: unknown[]) => ({ prompt: [{ role: 'user', content }] });
const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47]);

describe('promptParts', () => {
  it('takes everything that is sent', () => {
    const parts = promptParts({
      prompt: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: [{ type: 'text', text: 'Hi.' }] },
        {
          role: 'assistant',
          content: [
            { type: 'reasoning', text: 'Hm.' },
            { type: 'tool-call', toolCallId: '1', toolName: 'look', input: { at: 'x' } },
          ],
        },
        {
          role: 'tool',
          content: [
            { type: 'tool-result', toolName: 'look', output: { type: 'json', value: { seen: 1 } } },
            { type: 'tool-result', toolName: 'look', output: { type: 'text', value: 'seen' } },
          ],
        },
      ],
      tools: [{ type: 'function', name: 'look', description: 'Looks.', inputSchema: { a: 1 } }],
      responseFormat: { type: 'json', schema: { b: 2 } },
      providerOptions: { openai: { instructions: 'Be kind.' } },
    });
    expect(parts).toEqual({
      texts: ['Be brief.', 'Hi.', 'Hm.'],
      messages: 4,
      toolPayloads: [
        ['look', { at: 'x' }],
        { seen: 1 },
        'seen',
        { openai: { instructions: 'Be kind.' } },
      ],
      tools: [{ name: 'look', description: 'Looks.', inputSchema: { a: 1 } }],
      responseFormat: { b: 2 },
      media: [],
      serverState: false,
    });
  });

  it.each<readonly [string, object, object]>([
    ['bytes (5, 6)', { mediaType: 'image/png', data: PNG }, { kind: 'image', data: PNG }],
    ['base64 (5, 6)', { mediaType: 'image/*', data: 'iVBO' }, { kind: 'image', data: 'iVBO' }],
    [
      'a URL (5, 6)',
      { mediaType: 'image/png', data: new URL('https://a/b.png') },
      { kind: 'image' },
    ],
    ['a URL as text', { mediaType: 'image/png', data: 'https://a/b.png' }, { kind: 'image' }],
    [
      'a data URL',
      { mediaType: 'image/png', data: 'data:image/png;base64,iVBO' },
      { kind: 'image', data: 'iVBO' },
    ],
    [
      'bytes (7)',
      { mediaType: 'image', data: { type: 'data', data: PNG } },
      { kind: 'image', data: PNG },
    ],
    ['a URL (7)', { mediaType: 'image', data: { type: 'url', url: 'x' } }, { kind: 'image' }],
    ['audio', { mediaType: 'audio/wav', data: PNG }, { kind: 'audio', byteLength: 4 }],
    ['video', { mediaType: 'video/mp4', data: 'AAAA' }, { kind: 'video', byteLength: 3 }],
    ['audio elsewhere', { mediaType: 'audio/wav', data: new URL('https://a') }, { kind: 'audio' }],
    ['a PDF', { mediaType: 'application/pdf', data: PNG }, { kind: 'file' }],
    [
      'a stored file (7)',
      { mediaType: 'application/pdf', data: { type: 'reference', reference: {} } },
      { kind: 'file' },
    ],
  ])('takes a file: %s', (_, file, media) => {
    expect(promptParts(user({ type: 'file', ...file })).media).toEqual([media]);
    const output = { type: 'content', value: [{ type: 'file', ...file }] };
    const result = { type: 'tool-result', output };
    expect(promptParts({ prompt: [{ role: 'tool', content: [result] }] }).media).toEqual([media]);
  });

  it.each([
    ['media (5)', { type: 'media', mediaType: 'image/png', data: 'iVBO' }],
    ['image-data (6)', { type: 'image-data', mediaType: 'image/png', data: 'iVBO' }],
  ])('takes an image in a tool result: %s', (_, item) => {
    const result = { type: 'tool-result', output: { type: 'content', value: [item] } };
    const { media, toolPayloads } = promptParts({ prompt: [{ role: 'tool', content: [result] }] });
    expect(media).toEqual([{ kind: 'image', data: 'iVBO' }]);
    expect(toolPayloads).toEqual([]);
  });

  it.each([
    ['base64', btoa('a text')],
    ['bytes', new TextEncoder().encode('a text')],
    ['a tagged text', { type: 'text', text: 'a text' }],
  ])('takes a text file as text: %s', (_, data) => {
    const { texts } = promptParts(user({ type: 'file', mediaType: 'text/plain', data }));
    expect(texts).toEqual(['a text']);
  });

  it('takes what earlier turns gave to be sent back, and no ids', () => {
    const signature = 's'.repeat(300);
    const openai = { itemId: 'rs_1', reasoningEncryptedContent: signature };
    const reasoning = { type: 'reasoning', text: '', providerOptions: { openai } };
    const { texts } = promptParts({ prompt: [{ role: 'assistant', content: [reasoning] }] });
    expect(texts).toEqual([signature, '']);
  });

  it.each<readonly [string, object]>([
    ['a previous response', { providerOptions: { openai: { previousResponseId: 'resp_1' } } }],
    ['cached content', { providerOptions: { google: { cachedContent: 'c' } } }],
    ['an answer to be continued', { providerOptions: { google: { continuationToken: 'c' } } }],
    ['a search (5)', { tools: [{ type: 'provider-defined', id: 'openai.web_search', name: 's' }] }],
    ['a search (6, 7)', { tools: [{ type: 'provider', id: 'google.google_search', name: 's' }] }],
  ])('says that not all of it is here: %s', (_, call) => {
    expect(promptParts(call).serverState).toBe(true);
  });

  it('says nothing of the kind for tools of a provider that run here', () => {
    const tools = [{ type: 'provider', id: 'anthropic.bash_20250124', name: 'bash', args: {} }];
    expect(promptParts({ tools }).serverState).toBe(false);
  });
});

describe('what makes input dearer', () => {
  const hour = { anthropic: { cacheControl: { type: 'ephemeral', ttl: '1h' } } };
  const short = { anthropic: { cacheControl: { type: 'ephemeral' } } };

  it.each<readonly [string, object]>([
    ['the call', { providerOptions: hour }],
    ['a message', { prompt: [{ role: 'system', content: '', providerOptions: hour }] }],
    ['a part', user({ type: 'text', text: '', providerOptions: hour })],
    ['a tool', { tools: [{ type: 'function', providerOptions: hour }] }],
    [
      'a tool result',
      user({
        type: 'tool-result',
        output: { type: 'content', value: [{ providerOptions: hour }] },
      }),
    ],
    ['Bedrock', { providerOptions: { bedrock: { cachePoint: { type: 'default', ttl: '1h' } } } }],
  ])('is an hour of cache, asked for on %s', (_, call) => {
    expect(requestsLongCacheWrites(call)).toBe(true);
  });

  it('is not five minutes of it', () => {
    expect(requestsLongCacheWrites({ providerOptions: short, prompt: [] })).toBe(false);
  });

  it('is audio', () => {
    const file = { type: 'file', mediaType: 'audio/wav', data: PNG };
    expect(requestsAudio(user(file))).toBe(true);
    expect(requestsAudio(user({ type: 'text', text: '' }))).toBe(false);
  });
});
