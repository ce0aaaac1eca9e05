import { respondOrDeny } from '@hardcap/ai-sdk';
import { MemoryUsageSink, type UsageSink } from '@hardcap/core';
import { describe, expect, it } from 'vitest';
import { MATRIX } from './majors.ts';
import { type SceneOptions, scene } from './scene.ts';
import type { Streamed } from './sdk.ts';

const CALL = { prompt: 'Say something.', maxOutputTokens: 20, maxRetries: 0, onError() {} };

/** A store that is down. */
const DOWN: UsageSink = Object.assign(new MemoryUsageSink(), {
  reserve: () => Promise.reject(new Error('connect ECONNREFUSED')),
});

describe.each(MATRIX)('%s, %s: respondOrDeny', (_, api, major) => {
  const respond = (result: Streamed) => result.toUIMessageStreamResponse();
  const answer = async (options: SceneOptions): Promise<Response> => {
    const { model } = await scene(major, api, { model: 'cent', ...options });
    return respondOrDeny(major.ai.streamText({ ...CALL, model }), respond);
  };

  it('answers with the whole stream where the call was admitted', async () => {
    const response = await answer({ reply: { text: 'one two three' } });
    expect(response.status).toBe(200);
    const text = await response.text();
    const deltas = [...text.matchAll(/"delta":"([^"]*)"/g)].map(([, delta]) => delta);
    expect(deltas.join('')).toBe('one two three');
    expect(text).toContain('[DONE]');
  });

  it('answers 402 where a cap in USD refuses', async () => {
    const response = await answer({ cap: '0.10' });
    expect(response.status).toBe(402);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(await response.json()).toMatchObject({ code: 'BUDGET_EXCEEDED', budget: 'cap' });
  });

  it('answers 429 with Retry-After where another cap refuses', async () => {
    const window = { fixed: '1h' } as const;
    const budgets = [{ name: 'calls', per: [], limit: { requests: 1 }, window }];
    const { model, settled } = await scene(major, api, { budgets });
    await major.ai.streamText({ ...CALL, model }).consumeStream();
    await settled(1);
    const response = await respondOrDeny(major.ai.streamText({ ...CALL, model }), respond);
    expect(response.status).toBe(429);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('answers 503 where the store is down', async () => {
    const response = await answer({ guard: { sink: DOWN } });
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ code: 'SINK_UNAVAILABLE' });
  });

  it('leaves other failures to the stream', async () => {
    const response = await answer({ reply: { status: 400 } });
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('"type":"error"');
  });
});
