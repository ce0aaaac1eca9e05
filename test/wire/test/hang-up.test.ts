import { once } from 'node:events';
import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { post, STREAMING_CALLS, wholeCall } from './post.ts';
import { serve } from './serve.ts';

const MEGABYTE = 1_048_576;

describe.each(STREAMING_CALLS)('a client that hangs up on %s', (path, body) => {
  it('stops the stream at once, and pays for what was written', async () => {
    const server = await serve({ reply: { outputTokens: 50, reasoningTokens: 2, pace: 'manual' } });
    const client = new AbortController();
    const response = await post(server, path, body, client.signal);
    const exchange = await server.nextExchange();
    const hidden = path === '/v1/messages' ? 0 : 2;
    for (let step = 0; step < hidden + 3; step += 1) await exchange.sendChunk();
    expect([exchange.chunksSent, exchange.tokensGenerated]).toEqual([3, hidden + 3]);

    client.abort();
    expect(await exchange.closed).toBe('client-closed');
    await expect(response.text()).rejects.toThrow();
    await exchange.sendChunk();
    await exchange.finish();
    expect([exchange.chunksSent, exchange.tokensGenerated]).toEqual([3, hidden + 3]);
    expect(exchange.billed).toMatchObject({ input: 100, output: 3, reasoning: hidden });
    expect(exchange.closedAtMs).toBeGreaterThanOrEqual(exchange.receivedAtMs);
  });

  it('is noticed while the stream pauses', async () => {
    const server = await serve({ reply: { pace: { everyMs: 3_600_000 } } });
    const client = new AbortController();
    const response = await post(server, path, body, client.signal);
    client.abort();
    await expect(response.text()).rejects.toThrow();
    const exchange = await server.nextExchange();
    expect(await exchange.closed).toBe('client-closed');
    expect(exchange.billed).toMatchObject({ input: 100, output: 0 });
  });

  it('is noticed before the headers', async () => {
    const server = await serve({ reply: { holdBeforeHeaders: new Promise(() => {}) } });
    const client = new AbortController();
    const response = post(server, path, body, client.signal);
    const exchange = await server.nextExchange();
    client.abort();
    await expect(response).rejects.toThrow();
    expect(await exchange.closed).toBe('client-closed');
    expect([exchange.status, exchange.billed?.input]).toEqual([null, 100]);
  });

  it('is noticed while a whole answer is generated', async () => {
    const server = await serve({ reply: { outputTokens: 50, pace: 'manual' } });
    const client = new AbortController();
    const response = post(server, ...wholeCall(path, body), client.signal);
    const exchange = await server.nextExchange();
    await exchange.sendChunk();
    await exchange.sendChunk();
    client.abort();
    await expect(response).rejects.toThrow();
    expect(await exchange.closed).toBe('client-closed');
    expect([exchange.chunksSent, exchange.billed?.output]).toEqual([0, 2]);
  });

  it('pays for everything where the provider does not stop', async () => {
    const reply = { outputTokens: 50, pace: 'manual', generatesAfterHangUp: true } as const;
    const server = await serve({ reply });
    const client = new AbortController();
    await post(server, path, body, client.signal);
    const exchange = await server.nextExchange();
    await exchange.sendChunk();
    expect(exchange.billed?.output).toBe(1);
    client.abort();
    await exchange.closed;
    expect(exchange.billed?.output).toBe(50);
  });

  it('holds up the generation by not reading, and is noticed then too', async () => {
    const text = Array.from({ length: 32 }, () => 'x'.repeat(MEGABYTE)).join(' ');
    const server = await serve({ reply: [{ text }, {}] });
    const client = request(server.url + path, { method: 'POST' }).end(JSON.stringify(body));
    client.on('error', () => {});
    await once(client, 'response');
    const exchange = await server.nextExchange();
    // Whoever does not wait for the reader has written everything long before these are through.
    for (let other = 0; other < 50; other += 1) await (await post(server, path, body)).text();
    expect(exchange.chunksSent).toBeGreaterThan(0);
    expect(exchange.chunksSent).toBeLessThan(32);
    client.destroy();
    expect(await exchange.closed).toBe('client-closed');
    expect(exchange.billed?.output).toBeLessThan(32);
  });
});
