import { describe, expect, it } from 'vitest';
import { post, STREAMING_CALLS, wholeCall } from './post.ts';
import { readEvents } from './read-events.ts';
import { serve } from './serve.ts';

/** What arrived of the text, and how its end felt. */
async function readDeltas(response: Response): Promise<{ text: string; failed: boolean }> {
  let received = '';
  let failed = false;
  const decoder = new TextDecoder();
  try {
    for await (const bytes of response.body ?? []) received += decoder.decode(bytes);
  } catch {
    failed = true;
  }
  const deltas = received.matchAll(/"(?:content|delta|text)": ?"( [a-z]{3,4})"/g);
  return { text: [...deltas].map((delta) => delta[1]).join(''), failed };
}

const RATE_LIMITED: Readonly<Record<string, object>> = {
  '/v1/chat/completions': { type: 'tokens', param: null, code: 'rate_limit_exceeded' },
  '/v1/responses': { type: 'tokens', param: null, code: 'rate_limit_exceeded' },
  '/v1/messages': { type: 'rate_limit_error' },
};

describe.each(STREAMING_CALLS)('what goes wrong on %s', (path, body) => {
  const whole = wholeCall(path, body);
  const isGemini = path.includes('gemini');

  it('refuses with the body of the provider and the headers of the test', async () => {
    const server = await serve({ reply: { status: 429, headers: { 'retry-after': '7' } } });
    const response = await post(server, path, body);
    expect(response.status).toBe(429);
    expect(response.headers.get('retry-after')).toBe('7');
    expect(await response.json()).toMatchObject({
      error: RATE_LIMITED[path] ?? { code: 429, status: 'RESOURCE_EXHAUSTED' },
    });
    const [exchange] = server.exchanges;
    expect(await exchange?.closed).toBe('finished');
    expect([exchange?.status, exchange?.billed, exchange?.tokensGenerated]).toEqual([429, null, 0]);
  });

  it('cuts the stream after so many chunks, and bills those', async () => {
    const server = await serve({
      reply: { outputTokens: 9, reasoningTokens: 4, cutAfterChunks: 3 },
    });
    const read = await readDeltas(await post(server, path, body));
    expect(read).toEqual({ text: ' oak elm fir', failed: true });
    const [exchange] = server.exchanges;
    expect(await exchange?.closed).toBe('cut');
    expect(exchange?.chunksSent).toBe(3);
    expect(exchange?.billed?.output).toBe(3);
  });

  it('cuts a stream that is shorter before it finishes', async () => {
    const server = await serve({ reply: { outputTokens: 2, cutAfterChunks: 3 } });
    const read = await readDeltas(await post(server, path, body));
    expect(read).toEqual({ text: ' oak elm', failed: true });
  });

  it('cuts a whole answer at its half, when everything is generated', async () => {
    const server = await serve({ reply: { outputTokens: 9, cutAfterChunks: 3 } });
    const response = await post(server, ...whole);
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow();
    expect(server.exchanges[0]?.billed?.output).toBe(9);
  });

  it('cuts before the headers, when everything is generated', async () => {
    const server = await serve({ reply: { outputTokens: 9, cutBeforeHeaders: true } });
    await expect(post(server, path, body)).rejects.toThrow();
    const [exchange] = server.exchanges;
    expect(await exchange?.closed).toBe('cut');
    expect([exchange?.status, exchange?.billed?.output]).toEqual([null, 9]);
  });

  it('sends the error event of the provider, and bills what came before it', async () => {
    const server = await serve({ reply: { outputTokens: 9, errorAfterChunks: 2 } });
    const events = await readEvents(await post(server, path, body));
    const last = events.at(path === '/v1/responses' ? -2 : -1);
    const isNamed = path === '/v1/responses' || path === '/v1/messages';
    expect(last?.name).toBe(isNamed ? 'error' : undefined);
    const openai = { type: 'server_error' };
    const others = isGemini ? { status: 'UNAVAILABLE' } : { type: 'overloaded_error' };
    expect(last?.data).toMatchObject({ error: /chat|responses/.test(path) ? openai : others });
    expect(server.exchanges[0]?.billed?.output).toBe(2);
  });

  it('ends without the events that finish it', async () => {
    const server = await serve({ reply: { outputTokens: 2, endWithoutFinish: true } });
    const response = await post(server, path, body);
    expect(await readDeltas(response)).toEqual({ text: ' oak elm', failed: false });
    expect(await server.exchanges[0]?.closed).toBe('finished');
  });

  it.each([[path, body], whole])('answers %s, %j with garbage, and bills it', async (to, asked) => {
    const server = await serve({ reply: { garbage: true } });
    const response = await post(server, to as string, asked);
    expect(response.status).toBe(200);
    const text = (await response.text()).replace(/^data: /, '');
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
    expect(server.exchanges[0]?.billed?.output).toBe(5);
  });

  it('leaves the usage out', async () => {
    const server = await serve({ reply: { usage: 'missing' } });
    const asked = { ...body, stream_options: { include_usage: true } };
    expect(await (await post(server, path, asked)).text()).not.toMatch(
      /"usage(?:Metadata)?": ?[^n]/,
    );
    const answer = (await (await post(server, ...whole)).json()) as object;
    expect(Object.keys(answer)).not.toContain(isGemini ? 'usageMetadata' : 'usage');
  });

  it('reports the figures it is given, whatever they are', async () => {
    const usage = { input_tokens: -3, prompt_tokens: null, output_tokens: 'NaN' };
    const server = await serve({ reply: { usage } });
    const asked = { ...body, stream_options: { include_usage: true } };
    const text = await (await post(server, path, asked)).text();
    const key = isGemini ? 'usageMetadata' : 'usage';
    const sent = `"${key}":${JSON.stringify(usage)}`;
    expect(text.replaceAll('": ', '":')).toContain(sent);
    expect(await (await post(server, ...whole)).json()).toMatchObject({ [key]: usage });
    expect(server.exchanges[0]?.billed).toMatchObject({ input: 100, output: 5 });
  });
});
