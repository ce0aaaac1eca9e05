import { SpendBudgetCallbackHandler, withSpendBudget } from '@hardcap/langchain';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sendChunks } from '../wire/send-chunks.ts';
import { tcpRefused } from '../wire/tcp-refused.ts';
import type { Fields, Runnable } from './langchain.ts';
import { MATRIX, modelOf } from './majors.ts';
import { drain, scene } from './scene.ts';

const PROMPT = 'Say something.';
const NEVER = new Promise(() => {});
const LIMITED = { fields: { maxTokens: 100 } };

/** The two ways of a call; how it fails is not the point. */
const WAYS: Readonly<Record<string, (model: Runnable, config?: Fields) => Promise<void>>> = {
  invoke: async (model, config) => {
    await model.invoke('Say something.', config).catch(() => {});
  },
  stream: (model, config) => drain(model.stream('Say something.', config)),
};

const CASES = MATRIX.flatMap(([name, api, major]) =>
  Object.entries(WAYS).map(([way, make]) => [name, api, way, { major, make }] as const),
);

function hasText(chunk: unknown): boolean {
  return /"(?:content|text)":"[^"]+"/.test(JSON.stringify((chunk as { toDict?: unknown }) ?? {}));
}

/** Tells when the first text has come. */
async function heardOf(
  stream: Promise<AsyncIterable<unknown>>,
  heard: () => void,
): Promise<AsyncIterable<unknown>> {
  const chunks = await stream;
  return (async function* () {
    for await (const chunk of chunks) {
      if (hasText(chunk)) heard();
      yield chunk;
    }
  })();
}

/** Reads up to the first text. */
async function leave(stream: Promise<AsyncIterable<unknown>>): Promise<void> {
  for await (const chunk of await stream) if (hasText(chunk)) break;
}

describe.each(CASES)('%s, %s, %s: how a call settles that', (_, api, way, { major, make }) => {
  it('case C-19: was refused a connection', async () => {
    const refused = await tcpRefused();
    onTestFinished(() => refused.close());
    const { guard, settled } = await scene(major, api, LIMITED);
    const urls = { url: refused.url, openaiBaseUrl: refused.url };
    const bare = modelOf(major, api, urls, { model: 'gpt-4.1', ...LIMITED.fields });
    await make(withSpendBudget(bare, guard));
    const [entry] = await settled(1);
    // Google's package hides why a request failed, so that this may as well have been sent.
    if (api === 'gemini') {
      expect(entry).toMatchObject({ outcome: 'unknown', costNanoUsd: entry?.heldNanoUsd });
    } else expect(entry).toMatchObject({ outcome: 'not-sent', costNanoUsd: 0 });
  });

  it.each([400, 401, 429, 500, 529])('case C-19: was refused with %s', async (status) => {
    const { server, model, settled } = await scene(major, api, { ...LIMITED, reply: { status } });
    await make(model);
    const [entry] = await settled(1);
    expect(entry).toMatchObject({ outcome: 'not-sent', costNanoUsd: 0 });
    expect(server.billedNanoUsd()).toBe(0);
  });

  it('lost its connection before the answer', async () => {
    const reply = { cutBeforeHeaders: true };
    const { model, settled } = await scene(major, api, { ...LIMITED, reply });
    await make(model);
    const [entry] = await settled(1);
    expect(entry?.outcome).toBe('unknown');
    expect(entry?.costNanoUsd).toBe(entry?.heldNanoUsd);
  });

  it('case C-71: was aborted while it waited', async () => {
    const reply = { holdBeforeHeaders: NEVER };
    const { server, model, settled } = await scene(major, api, { ...LIMITED, reply });
    const client = new AbortController();
    const done = make(model, { signal: client.signal });
    const exchange = await server.nextExchange();
    client.abort();
    await done;
    expect(await exchange.closed).toBe('client-closed');
    const [entry] = await settled(1);
    expect(entry?.outcome).toBe('unknown');
    expect(entry?.costNanoUsd).toBe(entry?.heldNanoUsd);
  });

  it('was aborted before it was made', async () => {
    const { server, model, events, entries } = await scene(major, api, LIMITED);
    await make(model, { signal: AbortSignal.abort() });
    expect(events).toEqual([]);
    expect(await entries()).toEqual([]);
    expect(server.exchanges).toEqual([]);
  });

  it('case C-73: brought no usage', async () => {
    const reply = { outputTokens: 30, usage: 'missing' } as const;
    const options = { ...LIMITED, model: 'gpt-4o-cent', reply };
    const { server, model, settled, spent } = await scene(major, api, options);
    await make(model);
    const [entry] = await settled(1);
    expect(await spent()).toBeGreaterThanOrEqual(server.billedNanoUsd());
    // Anthropic's package of LangChain 1 cannot read a stream that begins without usage.
    const breaks = major.name === 'langchain 1' && api === 'anthropic messages';
    if (way === 'invoke') expect(entry?.costNanoUsd).toBe(entry?.heldNanoUsd);
    else expect(entry?.outcome).toBe(breaks ? 'unknown' : 'metered');
  });
});

describe.each(MATRIX)('%s, %s: how a stream settles that', (_, api, major) => {
  it.each(['guarded model', 'handler'])(
    'broke before anything was streamed, at its hold or at the input that was told: %s',
    async (layer) => {
      const options = { ...LIMITED, reply: { cutAfterChunks: 0 } };
      const { server, guard, model, bare, settled } = await scene(major, api, options);
      const callbacks = [new SpendBudgetCallbackHandler(guard)];
      // Google's package ends the process with an error that nobody can take when a stream breaks.
      if (layer === 'handler' && api === 'gemini') return;
      await drain(
        (layer === 'handler' ? bare : model).stream(
          PROMPT,
          layer === 'handler' ? { callbacks } : {},
        ),
      );
      const [entry] = await settled(1);
      const isTold = api === 'anthropic messages';
      expect(entry?.outcome).toBe(isTold ? 'metered' : 'unknown');
      expect(entry?.costNanoUsd).toBe(isTold ? server.billedNanoUsd() : entry?.heldNanoUsd);
    },
  );

  it.each([
    ['broke at once', { cutAfterChunks: 1 }],
    ['broke', { cutAfterChunks: 7 }],
    ['ended with an error of the provider', { errorAfterChunks: 7 }],
    ['ended without its end', { outputTokens: 7, endWithoutFinish: true }],
  ])('%s: at what was metered', async (__, reply) => {
    const options = { ...LIMITED, model: 'gpt-4o-cent', reply: { outputTokens: 90, ...reply } };
    const { server, model, settled, spent } = await scene(major, api, options);
    await drain(model.stream('Say something.'));
    const [entry] = await settled(1);
    expect(entry?.outcome).toBe('metered');
    expect(await spent()).toBeGreaterThanOrEqual(server.billedNanoUsd());
    expect(await spent()).toBeLessThan(entry?.heldNanoUsd ?? 0);
  });

  it('broke, of a model that may reason out of sight: at what was held', async () => {
    const model = api === 'anthropic messages' ? 'claude-sonnet-4-cent' : 'gpt-5-cent';
    const thinking = { type: 'enabled', budget_tokens: 1_024 };
    const fields = { maxTokens: 1_100, temperature: 1 };
    const here = await scene(major, api, {
      model,
      fields: api === 'anthropic messages' ? { ...fields, thinking } : fields,
      reply: { outputTokens: 90, cutAfterChunks: 7 },
    });
    await drain(here.model.stream('Say something.'));
    const [entry] = await here.settled(1);
    expect(entry?.outcome).toBe('metered');
    expect(entry?.costNanoUsd).toBe(entry?.heldNanoUsd);
  });

  it('was aborted by its caller: closed at once, at what was metered', async () => {
    const reply = { outputTokens: 90, pace: 'manual' } as const;
    const options = { ...LIMITED, model: 'gpt-4o-cent', reply };
    const { server, model, settled, spent } = await scene(major, api, options);
    const client = new AbortController();
    const config = { signal: client.signal };
    let hear = () => {};
    const heard = new Promise<void>((resolve) => {
      hear = resolve;
    });
    const done = drain(heardOf(model.stream('Say something.', config), hear));
    const exchange = await server.nextExchange();
    await sendChunks(exchange, 5);
    await heard;
    client.abort();
    await done;
    expect(await exchange.closed).toBe('client-closed');
    const [entry] = await settled(1);
    expect(entry?.outcome).toBe('metered');
    expect(await spent()).toBeGreaterThan(0);
  });

  it('case C-68: its reader left early: closed with the next chunk at most', async () => {
    const reply = { outputTokens: 90, pace: 'manual' } as const;
    const options = { ...LIMITED, model: 'gpt-4o-cent', reply };
    const { server, model, settled, spent } = await scene(major, api, options);
    const left = leave(model.stream('Say something.'));
    const exchange = await server.nextExchange();
    await exchange.sendChunk();
    // The framework asks for a chunk more than its reader does, and cannot be stopped before it has it.
    await exchange.sendChunk();
    await left;
    expect(await exchange.closed).toBe('client-closed');
    const [entry] = await settled(1);
    expect(entry?.outcome).toBe('metered');
    expect(await spent()).toBeGreaterThanOrEqual(server.billedNanoUsd());
  });

  it('nobody reads: at what the provider bills', async () => {
    const options = { ...LIMITED, reply: { outputTokens: 60 } };
    const { server, model, settled, spent } = await scene(major, api, options);
    await model.stream('Say something.');
    const [entry] = await settled(1);
    expect(entry?.outcome).toBe('known');
    expect(await spent()).toBe(server.billedNanoUsd());
  });
});

/** A callback whose error looks like a provider's: the framework hands it to the model as it is. */
class Failing extends Error {
  readonly status = 403;
}

describe.each(MATRIX)('%s, %s: a call whose callback throws', (_, api, major) => {
  it.each([false, true])('is charged, since it was answered (streaming: %s)', async (streaming) => {
    const fields = { ...LIMITED.fields, streaming };
    const { server, model, settled } = await scene(major, api, { ...LIMITED, fields });
    const handleLLMNewToken = () => {
      throw new Failing('Not for you.');
    };
    const callbacks = [{ handleLLMNewToken, raiseError: true, awaitHandlers: true }];
    await WAYS[streaming ? 'invoke' : 'stream']?.(model, { callbacks });
    const [entry] = await settled(1);
    expect(server.billedNanoUsd()).toBeGreaterThan(0);
    expect(entry?.outcome).not.toBe('not-sent');
    expect(entry?.costNanoUsd).toBeGreaterThan(0);
  });
});
