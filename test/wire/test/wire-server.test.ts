import { describe, expect, it } from 'vitest';
import type { Reply } from '../reply.ts';
import { startWireServer } from '../wire-server.ts';
import { post } from './post.ts';
import { serve } from './serve.ts';

const PATH = '/v1/messages';
const BODY = { model: 'claude-sonnet-4-5', max_tokens: 4096 };

describe('startWireServer', () => {
  it('answers from a list, the last again and again, or as asked for each request', async () => {
    const server = await serve({ reply: [{ text: 'one' }, { text: 'two' }] });
    const answers: unknown[] = [];
    const ask = async () => {
      answers.push(await (await post(server, PATH, BODY)).json());
    };
    await ask();
    await ask();
    await ask();
    server.reply((request): Reply => ({ text: `${request.protocol} ${request.model}` }));
    await ask();
    const texts = ['one', 'two', 'two', 'anthropic-messages claude-sonnet-4-5'];
    expect(answers).toMatchObject(texts.map((text) => ({ content: [{ type: 'text', text }] })));
  });

  it('keeps every request, and hands each exchange out once', async () => {
    const server = await serve();
    const first = server.nextExchange();
    await (await post(server, `${PATH}?beta=true`, { ...BODY, metadata: {} })).text();
    await (await post(server, '/v1/embeddings', { model: 'e', input: 'x' })).text();
    const exchanges = [await first, await server.nextExchange()];
    expect(exchanges).toEqual(server.exchanges);
    expect(exchanges[0]).toMatchObject({
      protocol: 'anthropic-messages',
      method: 'POST',
      path: '/v1/messages?beta=true',
      model: 'claude-sonnet-4-5',
      body: { ...BODY, metadata: {} },
      streaming: false,
      status: 200,
    });
    expect(exchanges[0]?.headers['content-type']).toMatch('text/plain');
  });

  it('knows no other path, and nothing but JSON', async () => {
    const server = await serve();
    const unknown = await post(server, '/v1/audio/speech', {});
    expect(unknown.status).toBe(404);
    expect(await unknown.json()).toMatchObject({
      error: { message: 'Invalid URL (POST /v1/audio/speech)' },
    });
    const broken = await fetch(server.url + PATH, { method: 'POST', body: '{' });
    expect(broken.status).toBe(400);
    expect(await broken.json()).toMatchObject({ error: { type: 'invalid_request_error' } });
    expect(server.exchanges.map(({ protocol, billed }) => [protocol, billed])).toEqual([
      ['unknown', null],
      ['anthropic-messages', null],
    ]);
  });

  it('sends chunk by chunk, and the rest at once', async () => {
    const server = await serve({ reply: { outputTokens: 5, pace: 'manual', tokensPerChunk: 2 } });
    const response = await post(server, PATH, { ...BODY, stream: true });
    const exchange = await server.nextExchange();
    const counts = [exchange.tokensGenerated];
    await exchange.sendChunk();
    counts.push(exchange.tokensGenerated);
    await exchange.finish();
    counts.push(exchange.tokensGenerated);
    expect(counts).toEqual([0, 2, 5]);
    expect(await response.text()).toMatch(/"message_stop"}\n\n$/);
    expect(await exchange.closed).toBe('finished');
  });

  it('finishes by one step more than there are chunks', async () => {
    const server = await serve({ reply: { outputTokens: 2, pace: 'manual' } });
    const response = await post(server, PATH, { ...BODY, stream: true });
    const exchange = await server.nextExchange();
    for (let step = 0; step < 3; step += 1) await exchange.sendChunk();
    expect(await exchange.closed).toBe('finished');
    expect(await response.text()).toContain('message_stop');
  });

  it('does not go chunk by chunk where nobody asked it to', async () => {
    const server = await serve();
    await post(server, PATH, BODY);
    const exchange = await server.nextExchange();
    expect(() => exchange.sendChunk()).toThrow("pace: 'manual'");
  });

  it('lets a slow reply go', async () => {
    const server = await serve({ reply: { pace: { everyMs: 3_600_000 } } });
    const response = await post(server, PATH, { ...BODY, stream: true });
    await (await server.nextExchange()).finish();
    expect(await response.text()).toContain('message_stop');
  });

  it('takes the pace it is given', async () => {
    const server = await serve({ reply: { outputTokens: 4, pace: { everyMs: 5 } } });
    const started = performance.now();
    await (await post(server, PATH, BODY)).text();
    expect(performance.now() - started).toBeGreaterThanOrEqual(4 * 5 - 1);
  });

  it('counts so many tokens in a text as it is told', async () => {
    const reply = { text: 'naïve 🦊 fox', outputTokens: 4, pace: 'immediate' } as const;
    const server = await serve({ reply });
    expect(await (await post(server, PATH, BODY)).json()).toMatchObject({
      content: [{ text: reply.text }],
      usage: { output_tokens: 4 },
    });
  });

  it('cuts what is open when it is closed', async () => {
    const server = await startWireServer({ reply: { pace: 'manual' } });
    const response = await post(server, PATH, { ...BODY, stream: true });
    const exchange = await server.nextExchange();
    await server.close();
    expect(await exchange.closed).toBe('cut');
    await expect(response.text()).rejects.toThrow();
    await expect(post(server, PATH, BODY)).rejects.toThrow();
  });
});
