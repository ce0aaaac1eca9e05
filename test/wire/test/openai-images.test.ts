import { describe, expect, it } from 'vitest';
import { post } from './post.ts';
import { serve } from './serve.ts';

const PATH = '/v1/images/generations';

describe('OpenAI images', () => {
  it('makes so many as are asked for, and bills each', async () => {
    const server = await serve({ reply: { inputTokens: 12, outputTokens: 30 } });
    const response = await post(server, PATH, { model: 'gpt-image-1', prompt: 'A fox.', n: 2 });
    expect(await response.json()).toMatchObject({
      data: [{ b64_json: expect.any(String) }, { b64_json: expect.any(String) }],
      usage: {
        input_tokens: 12,
        input_tokens_details: { image_tokens: 0, text_tokens: 12 },
        output_tokens: 60,
        total_tokens: 72,
      },
    });
    expect(server.exchanges[0]?.billed).toMatchObject({ input: 12, output: 60 });
  });

  it('says nothing of tokens where it bills none', async () => {
    const server = await serve({ reply: { usage: 'missing' } });
    const response = await post(server, PATH, { model: 'dall-e-3', prompt: 'A fox.' });
    expect(Object.keys((await response.json()) as object)).not.toContain('usage');
  });
});
