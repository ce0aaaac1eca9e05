import { describe, expect, it } from 'vitest';
import { post } from './post.ts';
import { serve } from './serve.ts';

const MODEL = '/v1beta/models/gemini-embedding-001';
const CONTENT = { parts: [{ text: 'a' }] };
const USAGE = {
  promptTokenCount: 12,
  promptTokenDetails: [{ modality: 'TEXT', tokenCount: 12 }],
};

describe('Gemini embeddings', () => {
  it('answers one vector, and bills input alone', async () => {
    const server = await serve({ reply: { inputTokens: 12 } });
    const body = { content: CONTENT, outputDimensionality: 2 };
    const response = await post(server, `${MODEL}:embedContent`, body);
    expect(await response.json()).toEqual({
      embedding: { values: [1 / 64, 2 / 64] },
      usageMetadata: USAGE,
    });
    expect(server.exchanges[0]?.billed).toMatchObject({ input: 12, output: 0, reasoning: 0 });
  });

  it('answers a vector for each request of a batch', async () => {
    const server = await serve({ reply: { inputTokens: 12 } });
    const requests = [0, 1].map(() => ({ content: CONTENT, outputDimensionality: 1 }));
    const response = await post(server, `${MODEL}:batchEmbedContents`, { requests });
    expect(await response.json()).toEqual({
      embeddings: [{ values: [1 / 64] }, { values: [2 / 64] }],
      usageMetadata: USAGE,
    });
  });

  it('may report nothing, as older models do', async () => {
    const server = await serve({ reply: { usage: 'missing' } });
    const response = await post(server, `${MODEL}:embedContent`, { content: CONTENT });
    expect(Object.keys((await response.json()) as object)).toEqual(['embedding']);
  });

  it('refuses a batch of more than a hundred', async () => {
    const server = await serve();
    const requests = Array.from({ length: 101 }, () => ({ content: CONTENT }));
    const response = await post(server, `${MODEL}:batchEmbedContents`, { requests });
    expect(response.status).toBe(400);
    expect(server.exchanges[0]?.billed).toBeNull();
  });
});
