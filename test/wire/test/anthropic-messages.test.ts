import { describe, expect, it } from 'vitest';
import { post } from './post.ts';
import { readEvents } from './read-events.ts';
import { serve } from './serve.ts';

const PATH = '/v1/messages';
const BODY = { model: 'claude-sonnet-4-5', max_tokens: 4096 };

const named = (type: string, fields: object = {}) => ({ name: type, data: { type, ...fields } });
const blockDelta = (index: number, delta: object) => named('content_block_delta', { index, delta });

const INPUT = { input_tokens: 100, cache_creation_input_tokens: 30, cache_read_input_tokens: 20 };
const CREATION = { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 };
const SERVED = { service_tier: 'standard', inference_geo: 'not_available' };
const CACHE = { cacheRead: 20, cacheWrite5m: 10, cacheWrite1h: 20 };

describe('Anthropic Messages', () => {
  it('streams thinking, text and a tool call, with usage at both ends', async () => {
    const toolCalls = [{ name: 'weather', arguments: {} }];
    const server = await serve({
      reply: { ...CACHE, outputTokens: 2, reasoningTokens: 1, toolCalls },
    });
    const body = { ...BODY, stream: true, thinking: { type: 'enabled', budget_tokens: 1024 } };
    const early = { ...INPUT, cache_creation: CREATION, output_tokens: 1, ...SERVED };
    expect(await readEvents(await post(server, PATH, body))).toEqual([
      named('message_start', {
        message: {
          model: 'claude-sonnet-4-5',
          id: 'msg_000000000000000000000001',
          type: 'message',
          role: 'assistant',
          content: [],
          stop_reason: null,
          stop_sequence: null,
          stop_details: null,
          usage: early,
        },
      }),
      named('content_block_start', {
        index: 0,
        content_block: { type: 'thinking', thinking: '', signature: '' },
      }),
      named('ping'),
      blockDelta(0, { type: 'thinking_delta', thinking: ' oak' }),
      blockDelta(0, { type: 'signature_delta', signature: expect.any(String) }),
      named('content_block_stop', { index: 0 }),
      named('content_block_start', { index: 1, content_block: { type: 'text', text: '' } }),
      blockDelta(1, { type: 'text_delta', text: ' oak' }),
      blockDelta(1, { type: 'text_delta', text: ' elm' }),
      named('content_block_stop', { index: 1 }),
      named('content_block_start', {
        index: 2,
        content_block: {
          type: 'tool_use',
          id: expect.stringMatching(/^toolu_/),
          name: 'weather',
          input: {},
        },
      }),
      blockDelta(2, { type: 'input_json_delta', partial_json: '' }),
      blockDelta(2, { type: 'input_json_delta', partial_json: '{}' }),
      named('content_block_stop', { index: 2 }),
      named('message_delta', {
        delta: { stop_reason: 'tool_use', stop_sequence: null, stop_details: null },
        usage: { ...INPUT, output_tokens: 4, output_tokens_details: { thinking_tokens: 1 } },
      }),
      named('message_stop'),
    ]);
  });

  it('answers whole, with input figures that exclude the cache', async () => {
    const server = await serve({ reply: { ...CACHE, text: 'Yes.' } });
    expect(await (await post(server, PATH, BODY)).json()).toEqual({
      model: 'claude-sonnet-4-5',
      id: 'msg_000000000000000000000001',
      type: 'message',
      role: 'assistant',
      content: [{ type: 'text', text: 'Yes.' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      stop_details: null,
      usage: {
        ...INPUT,
        cache_creation: CREATION,
        output_tokens: 1,
        output_tokens_details: { thinking_tokens: 0 },
        ...SERVED,
      },
    });
  });

  it('thinks only where the request asks, and unseen where it says so', async () => {
    const server = await serve({ reply: { outputTokens: 1, reasoningTokens: 6 } });
    const messages: unknown[] = [];
    for (const thinking of [undefined, { type: 'adaptive', display: 'omitted' }]) {
      const response = await post(server, PATH, { ...BODY, thinking });
      messages.push(await response.json());
    }
    const text = { type: 'text', text: ' oak' };
    expect(messages).toMatchObject([
      { content: [text] },
      { content: [{ type: 'thinking', thinking: '', signature: expect.any(String) }, text] },
    ]);
    expect(server.exchanges.map((exchange) => exchange.billed?.reasoning)).toEqual([0, 6]);
  });

  it('ends at max_tokens, thinking included', async () => {
    const server = await serve({ reply: { outputTokens: 50, reasoningTokens: 10 } });
    const body = { ...BODY, max_tokens: 16, stream: true, thinking: { type: 'adaptive' } };
    const events = await readEvents(await post(server, PATH, body));
    expect(events.at(-2)?.data).toMatchObject({
      delta: { stop_reason: 'max_tokens' },
      usage: { output_tokens: 16, output_tokens_details: { thinking_tokens: 10 } },
    });
  });

  it.each([
    [{ model: 'claude-sonnet-4-5' }, 'max_tokens: Field required'],
    [{ ...BODY, max_tokens: 0 }, 'max_tokens: Input should be greater than or equal to 1'],
    [
      { ...BODY, thinking: { type: 'enabled', budget_tokens: 1023 } },
      'thinking.enabled.budget_tokens: Input should be greater than or equal to 1024',
    ],
    [
      { ...BODY, max_tokens: 2000, thinking: { type: 'enabled', budget_tokens: 2000 } },
      expect.stringMatching(/^`max_tokens` must be greater than `thinking.budget_tokens`/),
    ],
  ])('refuses %j, as Anthropic does', async (body, message) => {
    const server = await serve();
    const response = await post(server, PATH, body);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      type: 'error',
      error: { type: 'invalid_request_error', message },
      request_id: 'req_000000000000000000000001',
    });
    expect(server.exchanges[0]?.billed).toBeNull();
  });

  it('may report other figures at the start than at the end', async () => {
    const server = await serve({ reply: { earlyUsage: { input_tokens: 0, output_tokens: 0 } } });
    const events = await readEvents(await post(server, PATH, { ...BODY, stream: true }));
    expect(events[0]?.data).toMatchObject({
      message: { usage: { input_tokens: 0, output_tokens: 0 } },
    });
    expect(events.at(-2)?.data).toMatchObject({ usage: { input_tokens: 100, output_tokens: 5 } });
  });
});
