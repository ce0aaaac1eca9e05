import { describe, expect, it } from 'vitest';
import { post } from './post.ts';
import { readEvents } from './read-events.ts';
import { serve } from './serve.ts';

const PATH = '/v1/responses';

interface ResponsesEvent {
  type: string;
  sequence_number: number;
  output_index?: number;
  delta?: string;
  response?: { status: string };
}

describe('OpenAI Responses', () => {
  it('streams numbered and named events, the reasoning without its content', async () => {
    const toolCalls = [{ name: 'weather', arguments: {} }];
    const server = await serve({ reply: { outputTokens: 2, reasoningTokens: 3, toolCalls } });
    const events = await readEvents(await post(server, PATH, { model: 'gpt-5', stream: true }));
    const data = events.map((event) => event.data as ResponsesEvent);
    expect(events.map((event) => event.name)).toEqual(data.map((event) => event.type));
    expect(data.map((event) => event.sequence_number)).toEqual([...events.keys()]);
    expect(data.map(({ type, output_index, delta }) => [type, output_index, delta])).toEqual([
      ['response.created', undefined, undefined],
      ['response.in_progress', undefined, undefined],
      ['response.output_item.added', 0, undefined],
      ['response.output_item.done', 0, undefined],
      ['response.output_item.added', 1, undefined],
      ['response.content_part.added', 1, undefined],
      ['response.output_text.delta', 1, ' oak'],
      ['response.output_text.delta', 1, ' elm'],
      ['response.output_text.done', 1, undefined],
      ['response.content_part.done', 1, undefined],
      ['response.output_item.done', 1, undefined],
      ['response.output_item.added', 2, undefined],
      ['response.function_call_arguments.delta', 2, '{}'],
      ['response.function_call_arguments.done', 2, undefined],
      ['response.output_item.done', 2, undefined],
      ['response.completed', undefined, undefined],
    ]);
  });

  it('summarises the reasoning where the request asks, and encrypts it', async () => {
    const server = await serve({ reply: { outputTokens: 1, reasoningTokens: 3 } });
    const body = {
      model: 'gpt-5',
      stream: true,
      reasoning: { summary: 'auto' },
      include: ['reasoning.encrypted_content'],
    };
    const events = await readEvents(await post(server, PATH, body));
    const data = events.map((event) => event.data as ResponsesEvent);
    expect(data.slice(2, 8)).toMatchObject([
      { type: 'response.output_item.added', item: { type: 'reasoning', summary: [] } },
      { type: 'response.reasoning_summary_part.added', part: { text: '' } },
      { type: 'response.reasoning_summary_text.delta', delta: 'Thinking it over.' },
      { type: 'response.reasoning_summary_text.done', text: 'Thinking it over.' },
      { type: 'response.reasoning_summary_part.done', part: { type: 'summary_text' } },
      {
        type: 'response.output_item.done',
        item: { encrypted_content: expect.any(String), summary: [{ text: 'Thinking it over.' }] },
      },
    ]);
  });

  it('answers whole, echoes the request, and nests the usage', async () => {
    const server = await serve({ reply: { text: 'Yes.', reasoningTokens: 4, cacheRead: 20 } });
    const body = { model: 'gpt-5', instructions: 'Be brief.', metadata: { user: 'u1' } };
    expect(await (await post(server, PATH, body)).json()).toMatchObject({
      id: 'resp_000000000000000000000001',
      object: 'response',
      status: 'completed',
      error: null,
      incomplete_details: null,
      instructions: 'Be brief.',
      model: 'gpt-5',
      output: [
        { type: 'reasoning', summary: [] },
        {
          type: 'message',
          status: 'completed',
          role: 'assistant',
          content: [{ type: 'output_text', annotations: [], logprobs: [], text: 'Yes.' }],
        },
      ],
      service_tier: 'default',
      usage: {
        input_tokens: 120,
        input_tokens_details: { cached_tokens: 20 },
        output_tokens: 5,
        output_tokens_details: { reasoning_tokens: 4 },
        total_tokens: 125,
      },
      metadata: { user: 'u1' },
    });
  });

  it('is incomplete at max_output_tokens, reasoning included', async () => {
    const server = await serve({ reply: { outputTokens: 50, reasoningTokens: 10 } });
    const body = { model: 'gpt-5', max_output_tokens: 16, stream: true };
    const events = await readEvents(await post(server, PATH, body));
    expect(events.at(-1)).toMatchObject({
      name: 'response.incomplete',
      data: {
        response: {
          status: 'incomplete',
          incomplete_details: { reason: 'max_output_tokens' },
          output: [{ type: 'reasoning' }, { type: 'message', status: 'incomplete' }],
          usage: { output_tokens: 16, output_tokens_details: { reasoning_tokens: 10 } },
        },
      },
    });
    expect(server.exchanges[0]?.billed).toMatchObject({ output: 6, reasoning: 10 });
  });

  it('refuses a limit below 16, as OpenAI does', async () => {
    const server = await serve();
    const response = await post(server, PATH, { model: 'gpt-5', max_output_tokens: 15 });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { param: 'max_output_tokens', code: 'integer_below_min_value' },
    });
  });
});
