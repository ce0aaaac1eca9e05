import { describe, expect, it } from 'vitest';
import { post } from './post.ts';
import { readEvents } from './read-events.ts';
import { serve } from './serve.ts';

const PATH = '/v1/chat/completions';

const chunk = (choices: unknown[], more: object = {}) => ({
  name: undefined,
  data: {
    id: 'chatcmpl-000000000000000000000001',
    object: 'chat.completion.chunk',
    created: expect.any(Number),
    model: 'gpt-5',
    service_tier: 'default',
    system_fingerprint: 'fp_wire',
    choices,
    obfuscation: expect.stringMatching(/^[A-Za-z0-9]{1,10}$/),
    ...more,
  },
});
const choice = (delta: object, finish_reason: string | null = null, index = 0) => ({
  index,
  delta,
  logprobs: null,
  finish_reason,
});
const ROLE = { role: 'assistant', content: '', refusal: null };
const DONE = { name: undefined, data: '[DONE]' };

describe('OpenAI Chat Completions', () => {
  it('streams one token a chunk, and no usage unless asked', async () => {
    const server = await serve({ reply: { outputTokens: 2, reasoningTokens: 40 } });
    const response = await post(server, PATH, { model: 'gpt-5', stream: true });
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(await readEvents(response)).toEqual([
      chunk([choice(ROLE)]),
      chunk([choice({ content: ' oak' })]),
      chunk([choice({ content: ' elm' })]),
      chunk([choice({}, 'stop')]),
      DONE,
    ]);
  });

  it('streams usage in a last chunk, with cached and reasoning tokens nested', async () => {
    const reply = { outputTokens: 1, reasoningTokens: 40, cacheRead: 30, cacheWrite5m: 7 };
    const server = await serve({ reply });
    const body = { model: 'gpt-5', stream: true, stream_options: { include_usage: true } };
    const usage = {
      prompt_tokens: 137,
      completion_tokens: 41,
      total_tokens: 178,
      prompt_tokens_details: { cached_tokens: 30, cache_write_tokens: 7, audio_tokens: 0 },
      completion_tokens_details: {
        reasoning_tokens: 40,
        audio_tokens: 0,
        accepted_prediction_tokens: 0,
        rejected_prediction_tokens: 0,
      },
    };
    expect(await readEvents(await post(server, PATH, body))).toEqual([
      chunk([choice(ROLE)], { usage: null }),
      chunk([choice({ content: ' oak' })], { usage: null }),
      chunk([choice({}, 'stop')], { usage: null }),
      chunk([], { usage }),
      DONE,
    ]);
  });

  it('streams tool calls after the text', async () => {
    const toolCalls = [{ name: 'weather', arguments: { city: 'Oslo' } }];
    const server = await serve({ reply: { text: 'Well', toolCalls, tokensPerChunk: 2 } });
    const events = await readEvents(await post(server, PATH, { model: 'gpt-5', stream: true }));
    const call = (fields: object) => chunk([choice({ tool_calls: [{ index: 0, ...fields }] })]);
    expect(events).toEqual([
      chunk([choice(ROLE)]),
      chunk([choice({ content: 'Well' })]),
      call({
        id: expect.stringMatching(/^call_/),
        type: 'function',
        function: { name: 'weather', arguments: '' },
      }),
      call({ function: { arguments: '{"city"' } }),
      call({ function: { arguments: ':"Oslo"}' } }),
      chunk([choice({}, 'tool_calls')]),
      DONE,
    ]);
  });

  it('answers whole', async () => {
    const toolCalls = [{ name: 'weather', arguments: '{}' }];
    const server = await serve({ reply: { toolCalls, servedModel: 'gpt-5-2025-08-07' } });
    const response = await post(server, PATH, { model: 'gpt-5' });
    const call = { id: expect.any(String), type: 'function' };
    expect(await response.json()).toEqual({
      id: 'chatcmpl-000000000000000000000001',
      object: 'chat.completion',
      created: expect.any(Number),
      model: 'gpt-5-2025-08-07',
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: null,
            tool_calls: [{ ...call, function: { name: 'weather', arguments: '{}' } }],
            refusal: null,
            annotations: [],
          },
          logprobs: null,
          finish_reason: 'tool_calls',
        },
      ],
      usage: expect.objectContaining({ prompt_tokens: 100, completion_tokens: 1 }),
      service_tier: 'default',
      system_fingerprint: 'fp_wire',
    });
  });

  it.each([
    ['max_completion_tokens', 8, 6, 2],
    ['max_tokens', 8, 6, 2],
    ['max_tokens', 6, 6, 0],
    ['max_tokens', 4, 4, 0],
  ])('ends at %s: %i, hidden reasoning first', async (limit, value, reasoning, output) => {
    const server = await serve({ reply: { outputTokens: 5, reasoningTokens: 6 } });
    const response = await post(server, PATH, { model: 'gpt-5', [limit]: value });
    expect(await response.json()).toMatchObject({
      choices: [{ finish_reason: 'length' }],
      usage: { completion_tokens: value },
    });
    expect(server.exchanges[0]?.billed).toMatchObject({ output, reasoning });
  });

  it('stops by itself at its very limit, and ignores the limit where told to', async () => {
    const server = await serve({ reply: [{ outputTokens: 5 }, { ignoreOutputLimit: true }] });
    const completions: unknown[] = [];
    for (const max_tokens of [5, 3]) {
      const response = await post(server, PATH, { model: 'gpt-5', max_tokens });
      completions.push(await response.json());
    }
    const stopped = { choices: [{ finish_reason: 'stop' }], usage: { completion_tokens: 5 } };
    expect(completions).toMatchObject([stopped, stopped]);
  });

  it('generates every choice of n, and bills each', async () => {
    const server = await serve({ reply: { outputTokens: 1 } });
    const body = { model: 'gpt-5', n: 2, max_tokens: 1, stream: true };
    expect(await readEvents(await post(server, PATH, body))).toEqual([
      chunk([choice(ROLE, null, 0)]),
      chunk([choice(ROLE, null, 1)]),
      chunk([choice({ content: ' oak' }, null, 0)]),
      chunk([choice({ content: ' oak' }, null, 1)]),
      chunk([choice({}, 'stop', 0)]),
      chunk([choice({}, 'stop', 1)]),
      DONE,
    ]);
    expect(server.exchanges[0]?.billed?.output).toBe(2);
  });

  it('refuses a limit of 0, in the words of OpenAI', async () => {
    const server = await serve();
    const response = await post(server, PATH, { model: 'gpt-5', max_completion_tokens: 0 });
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      error: {
        message:
          "Invalid 'max_completion_tokens': integer below minimum value. Expected a value >= 1, but got 0 instead.",
        type: 'invalid_request_error',
        param: 'max_completion_tokens',
        code: 'integer_below_min_value',
      },
    });
    expect(server.exchanges[0]?.billed).toBeNull();
  });
});

describe('the dialects of OpenAI Chat', () => {
  it.each([
    ['groq', { x_groq: { usage: { prompt_tokens: 100, completion_tokens: 5 } } }],
    ['mistral', { usage: { prompt_tokens: 100, completion_tokens: 5 } }],
  ] as const)('%s reports usage with the finish reason, unasked', async (chatDialect, fields) => {
    const server = await serve({ reply: { chatDialect } });
    const events = await readEvents(await post(server, PATH, { model: 'm', stream: true }));
    const reports = events.filter(({ data }) => JSON.stringify(data).includes('prompt_tokens'));
    expect(reports).toHaveLength(1);
    expect(reports[0]?.data).toMatchObject({ choices: [{ finish_reason: 'stop' }], ...fields });
  });
});
