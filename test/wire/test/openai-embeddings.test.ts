import { describe, expect, it } from 'vitest';
import { post } from './post.ts';
import { serve } from './serve.ts';

const PATH = '/v1/embeddings';

describe('OpenAI embeddings', () => {
  it('answers one vector for each input, and bills input alone', async () => {
    const server = await serve({ reply: { inputTokens: 12 } });
    const body = { model: 'text-embedding-3-small', input: ['a', 'b'], dimensions: 2 };
    const response = await post(server, PATH, body);
    expect(await response.json()).toEqual({
      object: 'list',
      data: [
        { object: 'embedding', index: 0, embedding: [1 / 64, 2 / 64] },
        { object: 'embedding', index: 1, embedding: [2 / 64, 3 / 64] },
      ],
      model: 'text-embedding-3-small',
      usage: { prompt_tokens: 12, total_tokens: 12 },
    });
    expect(server.exchanges[0]?.billed).toMatchObject({ input: 12, output: 0, reasoning: 0 });
  });

  it('encodes them in base64, as the official client asks', async () => {
    const server = await serve();
    const body = { model: 'e', input: 'a', dimensions: 2, encoding_format: 'base64' };
    const text = await (await post(server, PATH, body)).text();
    const [, embedding = ''] = /"embedding": "(.*)"/.exec(text) ?? [];
    const bytes = Uint8Array.from(Buffer.from(embedding, 'base64'));
    expect([...new Float32Array(bytes.buffer)]).toEqual([1 / 64, 2 / 64]);
  });
});
