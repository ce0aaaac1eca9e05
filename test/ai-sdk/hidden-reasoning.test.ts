import { describe, expect, it } from 'vitest';
import type { Exchange } from '../wire/exchange.ts';
import { drain } from './drain.ts';
import { MAJORS, MATRIX } from './majors.ts';
import { type Scene, type SceneOptions, scene } from './scene.ts';

const CENT = 10_000_000;

const REASONERS = {
  'openai chat': 'gpt-5-cent',
  'openai responses': 'gpt-5-cent',
  'anthropic messages': 'claude-sonnet-4-cent',
  gemini: 'gemini-2.5-flash-cent',
} as const;

/** Claude thinks where it is asked to; nothing of it streams. OpenAI's models need no asking. */
const CALL = {
  prompt: 'Say something.',
  maxOutputTokens: 100,
  maxRetries: 0,
  providerOptions: { anthropic: { thinking: { type: 'adaptive', display: 'omitted' } } },
  onError() {},
};

/** 60 tokens of reasoning that nobody sees, and then more text than the limit leaves room for. */
const REPLY = { inputTokens: 10, reasoningTokens: 60, outputTokens: 400, pace: 'manual' } as const;

async function generate(exchange: Exchange, tokens: number): Promise<void> {
  for (let token = 0; token < tokens; token += 1) await exchange.sendChunk();
}

describe.each(MATRIX)('%s, %s: a stream of a model that reasons out of sight', (_, api, major) => {
  const make = (options: SceneOptions = {}) =>
    scene(major, api, { model: REASONERS[api], reply: REPLY, ...options });

  /** Aborts after so many visible tokens. */
  async function abortAfter(visible: number, { server, model }: Scene): Promise<void> {
    const client = new AbortController();
    const result = major.ai.streamText({ ...CALL, model, abortSignal: client.signal });
    const reader = result.fullStream[Symbol.asyncIterator]();
    const exchange = await server.nextExchange();
    const sent = generate(exchange, REPLY.reasoningTokens + visible);
    for (let deltas = 0; deltas < visible; ) {
      const { done, value } = await reader.next();
      if (done) throw new Error('The stream ended before it was aborted.');
      if (value.type === 'text-delta') deltas += 1;
    }
    await sent;
    client.abort();
    expect(await exchange.closed).toBe('client-closed');
  }

  it('case C-68: is charged at its hold when the caller aborts', async () => {
    const here = await make();
    await abortAfter(3, here);
    const [entry] = await here.settled(1);
    expect(here.server.billedNanoUsd()).toBe(63 * CENT);
    expect(entry).toMatchObject({ outcome: 'metered', hiddenReasoning: true });
    expect(entry?.costNanoUsd).toBe(100 * CENT);
    expect(entry?.costNanoUsd).toBe(entry?.heldNanoUsd);
    expect(entry?.usage?.output).toBeLessThan(20);
  });

  it('cannot pass a cap by aborting again and again', async () => {
    const here = await make({ cap: '2.50' });
    await abortAfter(1, here);
    await here.settled(1);
    await abortAfter(1, here);
    await here.settled(2);
    // 61 cents each were billed; what is left carries no third call of up to a dollar.
    await drain(major.ai.streamText({ ...CALL, model: here.model }));
    expect(here.server.exchanges).toHaveLength(2);
    expect(await here.spent()).toBeGreaterThanOrEqual(here.server.billedNanoUsd());
    expect(await here.guard.status()).toMatchObject([{ committed: 200 * CENT, held: 0 }]);
  });

  it('is charged its output limit when it is cut, though it held nothing', async () => {
    const here = await make({ cap: '0.20', budget: { estimate: 'none' } });
    const result = major.ai.streamText({ ...CALL, model: here.model });
    const done = result.consumeStream();
    const exchange = await here.server.nextExchange();
    await generate(exchange, REPLY.reasoningTokens + 25);
    expect(await exchange.closed).toBe('client-closed');
    await done;
    const [entry] = await here.settled(1);
    expect(here.server.billedNanoUsd()).toBeGreaterThan(60 * CENT);
    expect(entry).toMatchObject({ outcome: 'metered', hiddenReasoning: true });
    expect(await here.spent()).toBe(100 * CENT);
    expect(here.events.filter(({ type }) => type === 'overshoot')).toHaveLength(1);
    // Its reader sees the figures of the ledger.
    expect((await result.usage).outputTokens).toBe(entry?.usage?.output);
  });

  it.each([
    ['breaks', { cutAfterChunks: 7 }],
    ['ends with an error of the provider', { errorAfterChunks: 7 }],
    ['ends without its end', { outputTokens: 7, endWithoutFinish: true }],
  ])('is charged at its hold when it %s', async (__, reply) => {
    const here = await make({ reply: { ...REPLY, pace: 'immediate', ...reply } });
    await drain(major.ai.streamText({ ...CALL, model: here.model }));
    const [entry] = await here.settled(1);
    expect(entry?.outcome).toBe('metered');
    expect(here.server.billedNanoUsd()).toBe(67 * CENT);
    expect(await here.spent()).toBe(100 * CENT);
  });

  it('is charged what is reported when it ends by itself', async () => {
    const here = await make({ reply: { ...REPLY, outputTokens: 7, pace: 'immediate' } });
    await drain(major.ai.streamText({ ...CALL, model: here.model }));
    const [entry] = await here.settled(1);
    expect(entry).toMatchObject({ outcome: 'known', costNanoUsd: 67 * CENT });
    expect(entry).not.toHaveProperty('hiddenReasoning');
  });
});

describe.each(MAJORS.map((major) => [major.name, major] as const))('%s', (_, major) => {
  it('charges Claude what it metered where it was not asked to think', async () => {
    const api = 'anthropic messages';
    const reply = { ...REPLY, pace: 'immediate', cutAfterChunks: 7 } as const;
    const here = await scene(major, api, { model: REASONERS[api], reply });
    await drain(major.ai.streamText({ ...CALL, providerOptions: {}, model: here.model }));
    await here.settled(1);
    expect(here.server.billedNanoUsd()).toBe(7 * CENT);
    expect(await here.spent()).toBeGreaterThanOrEqual(7 * CENT);
    expect(await here.spent()).toBeLessThan(20 * CENT);
  });
});
