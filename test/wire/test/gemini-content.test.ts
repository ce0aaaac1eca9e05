import { describe, expect, it } from 'vitest';
import { post } from './post.ts';
import { readEvents } from './read-events.ts';
import { serve } from './serve.ts';

const MODEL = '/v1beta/models/gemini-2.5-flash';
const STREAM = `${MODEL}:streamGenerateContent?alt=sse`;
const WHOLE = `${MODEL}:generateContent`;
const CONTENTS = { contents: [{ role: 'user', parts: [{ text: 'Say something.' }] }] };
const MADE = { modelVersion: 'gemini-2.5-flash', responseId: 'wire000000000000000000000001' };

const text = (tokenCount: number) => [{ modality: 'TEXT', tokenCount }];
const withConfig = (generationConfig: object) => ({ ...CONTENTS, generationConfig });

describe('Gemini content', () => {
  it('streams thoughts, text and a call, each chunk with all figures until then', async () => {
    const toolCalls = [{ name: 'weather', arguments: { at: 'Rome' } }];
    const reply = { outputTokens: 2, reasoningTokens: 1, cacheRead: 20, toolUseInputTokens: 7 };
    const server = await serve({ reply: { ...reply, toolCalls } });
    const usage = (output: object, totalTokenCount: number) => ({
      promptTokenCount: 120,
      ...output,
      totalTokenCount,
      cachedContentTokenCount: 20,
      promptTokensDetails: text(120),
      cacheTokensDetails: text(20),
      toolUsePromptTokenCount: 7,
      toolUsePromptTokensDetails: text(7),
      thoughtsTokenCount: 1,
      serviceTier: 'standard',
    });
    const chunk = (part: object, usageMetadata: object, finish: object = {}) => ({
      name: undefined,
      data: {
        candidates: [{ content: { parts: [part], role: 'model' }, ...finish, index: 0 }],
        usageMetadata,
        ...MADE,
      },
    });
    const body = withConfig({ thinkingConfig: { includeThoughts: true } });
    expect(await readEvents(await post(server, STREAM, body))).toEqual([
      chunk({ text: ' oak', thought: true }, usage({}, 128)),
      chunk({ text: ' oak' }, usage({ candidatesTokenCount: 1 }, 129)),
      chunk({ text: ' elm' }, usage({ candidatesTokenCount: 2 }, 130)),
      chunk(
        {
          functionCall: {
            name: 'weather',
            args: { at: 'Rome' },
            id: expect.stringMatching(/^call_/),
          },
        },
        usage({ candidatesTokenCount: 6 }, 134),
      ),
      chunk(
        { text: '', thoughtSignature: expect.any(String) },
        usage({ candidatesTokenCount: 6 }, 134),
        { finishReason: 'STOP' },
      ),
    ]);
    expect(server.exchanges[0]?.billed).toMatchObject({ input: 107, output: 6, reasoning: 1 });
  });

  it('writes events as Google does, byte for byte', async () => {
    const server = await serve({ reply: { text: 'Yes.' } });
    const response = await post(server, STREAM, CONTENTS);
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const [first] = (await response.text()).split(/(?<=\r\n\r\n)/);
    expect(first).toBe(
      'data: {"candidates": [{"content": {"parts": [{"text": "Yes."}],"role": "model"},"index": 0}],' +
        '"usageMetadata": {"promptTokenCount": 100,"candidatesTokenCount": 1,"totalTokenCount": 101,' +
        '"promptTokensDetails": [{"modality": "TEXT","tokenCount": 100}],"serviceTier": "standard"},' +
        '"modelVersion": "gemini-2.5-flash","responseId": "wire000000000000000000000001"}\r\n\r\n',
    );
  });

  it('answers whole, and hides what it thought', async () => {
    const server = await serve({ reply: { text: 'Yes.', reasoningTokens: 30 } });
    const response = await post(server, WHOLE, CONTENTS);
    expect(response.headers.get('content-type')).toBe('application/json; charset=UTF-8');
    expect(await response.json()).toEqual({
      candidates: [
        {
          content: {
            parts: [{ text: 'Yes.', thoughtSignature: expect.any(String) }],
            role: 'model',
          },
          finishReason: 'STOP',
          index: 0,
        },
      ],
      usageMetadata: {
        promptTokenCount: 100,
        candidatesTokenCount: 1,
        totalTokenCount: 131,
        promptTokensDetails: text(100),
        thoughtsTokenCount: 30,
        serviceTier: 'standard',
      },
      ...MADE,
    });
  });

  it('ends at maxOutputTokens, thoughts included; with nothing else it has no parts', async () => {
    const server = await serve({ reply: { outputTokens: 50, reasoningTokens: 10 } });
    const some = await (await post(server, WHOLE, withConfig({ maxOutputTokens: 16 }))).json();
    expect(some).toMatchObject({
      candidates: [{ finishReason: 'MAX_TOKENS' }],
      usageMetadata: { candidatesTokenCount: 6, thoughtsTokenCount: 10 },
    });
    const none = await post(server, WHOLE, withConfig({ maxOutputTokens: 5 }));
    expect(await none.json()).toEqual({
      candidates: [{ content: { role: 'model' }, finishReason: 'MAX_TOKENS', index: 0 }],
      usageMetadata: {
        promptTokenCount: 100,
        totalTokenCount: 105,
        promptTokensDetails: text(100),
        thoughtsTokenCount: 5,
        serviceTier: 'standard',
      },
      ...MADE,
      responseId: 'wire000000000000000000000002',
    });
  });

  it.each([
    [{}, 10],
    [{ thinkingBudget: -1 }, 10],
    [{ thinkingBudget: 4 }, 4],
    [{ thinkingBudget: 0 }, 0],
  ])('thinks as much as %j allows', async (thinkingConfig, thoughts) => {
    const server = await serve({ reply: { reasoningTokens: 10 } });
    await post(server, WHOLE, withConfig({ thinkingConfig }));
    expect(server.exchanges[0]?.billed?.reasoning).toBe(thoughts);
  });

  it('leaves out a call that was cut short, and bills it', async () => {
    const toolCalls = [{ name: 'weather', arguments: { at: 'x'.repeat(40) } }];
    const server = await serve({ reply: { outputTokens: 2, toolCalls } });
    const events = await readEvents(await post(server, STREAM, withConfig({ maxOutputTokens: 6 })));
    expect(JSON.stringify(events)).not.toContain('functionCall');
    expect(server.exchanges[0]?.billed?.output).toBe(6);
  });

  it('makes as many candidates as are asked for, and bills each', async () => {
    const server = await serve({ reply: { outputTokens: 3 } });
    const body = withConfig({ candidateCount: 2 });
    const answer = await (await post(server, WHOLE, body)).json();
    expect(answer).toMatchObject({
      candidates: [{ index: 0 }, { index: 1 }],
      usageMetadata: { candidatesTokenCount: 6 },
    });
    expect(server.exchanges[0]?.billed?.output).toBe(6);
  });

  it('may report figures in the last chunk alone', async () => {
    const server = await serve({ reply: { earlyUsage: 'missing' } });
    const events = await readEvents(await post(server, STREAM, CONTENTS));
    const reports = events.map(({ data }) => 'usageMetadata' in (data as object));
    expect(reports).toEqual([false, false, false, false, false, true]);
  });

  it.each([
    [MODEL, {}, '* GenerateContentRequest.contents: contents is not specified\n'],
    [MODEL, withConfig({ maxOutputTokens: 0 }), 'Request contains an invalid argument.'],
    [
      MODEL,
      withConfig({ thinkingConfig: { thinkingBudget: 1, thinkingLevel: 'low' } }),
      'You can only set only one of thinking budget and thinking level.',
    ],
    [
      '/v1beta/models/gemini-2.5-pro',
      withConfig({ thinkingConfig: { thinkingBudget: 0 } }),
      'Budget 0 is invalid. This model only works in thinking mode.',
    ],
  ])('refuses %s with %j, as Google does', async (path, body, message) => {
    const server = await serve();
    const response = await post(server, `${path}:generateContent`, body);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      error: { code: 400, message, status: 'INVALID_ARGUMENT' },
    });
    expect(server.exchanges[0]?.billed).toBeNull();
  });
});

describe('Gemini content that takes several requests', () => {
  it('goes on where the one before stopped, and bills it as input', async () => {
    const reply = { inputTokens: 10, text: 'one two three four five', tokensPerRequest: 2 };
    const server = await serve({ reply });
    const finishes: unknown[] = [];
    let continuationToken: unknown;
    for (let request = 0; request < 3; request += 1) {
      const body = { ...withConfig({ maxOutputTokens: 5 }), continuationToken };
      const answer = (await (await post(server, WHOLE, body)).json()) as {
        candidates: Record<string, unknown>[];
      };
      const [candidate] = answer.candidates;
      continuationToken = candidate?.['continuationToken'];
      finishes.push(candidate?.['finishReason'], candidate?.['content']);
    }
    const said = (words: string) => ({ parts: [{ text: words }], role: 'model' });
    expect(finishes).toEqual([
      ...['CONTINUATION', said('one two')],
      ...['CONTINUATION', said(' three four')],
      ...['STOP', said(' five')],
    ]);
    expect(server.exchanges.map(({ billed }) => [billed?.input, billed?.output])).toEqual([
      [10, 2],
      [12, 2],
      [14, 1],
    ]);
  });
});
