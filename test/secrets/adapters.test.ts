import type { Budget } from '@hardcap/core';
import { SpendBudgetCallbackHandler, withSpendBudget } from '@hardcap/langchain';
import { describe, expect, it } from 'vitest';
import { MATRIX as AI_SDK } from '../ai-sdk/majors.ts';
import { scene as aiSdkScene } from '../ai-sdk/scene.ts';
import { MATRIX as LANGCHAIN } from '../langchain/majors.ts';
import { scene as langchainScene } from '../langchain/scene.ts';
import type { Replies, WireServer } from '../wire/wire-server.ts';
import { secret, shownAs, tellTale } from './marked-secrets.ts';
import { listen } from './own-words.ts';
import { Traces } from './traces.ts';

const BUDGETS: Budget[] = [
  { name: 'per-key', per: ['apiKey'], limit: { usd: '0.60' }, window: 'total' },
];
// The first answers, the second is refused by the provider, the third breaks in mid-stream.
const REPLIES: Replies = [
  { outputTokens: 5 },
  { status: 500 },
  { outputTokens: 10, cutAfterChunks: 2 },
  {},
];
const OPTIONS = { model: 'cent', budgets: BUDGETS, reply: REPLIES };
const SHOWN = ['event', 'error of denial'];
const HAPPENED = ['answer', 'error of refusal', 'error of misspelt', 'wire'];
const WAYS = ['the option', 'the channel', 'the context'] as const;

/** What was sent to the provider, and what a guard told. */
function collect(traces: Traces, server: WireServer, events: readonly unknown[]): void {
  for (const { body, headers } of server.exchanges) traces.add('wire', [body, headers]);
  for (const event of events) traces.add('event', event);
}

async function attempt(traces: Traces, source: string, make: () => PromiseLike<unknown>) {
  try {
    traces.add(source, await make());
  } catch (error) {
    traces.add(`error of ${source}`, error);
  }
}

/** Every way to say who calls, with every API of every major. */
const casesOf = <Api, Major>(matrix: readonly (readonly [string, Api, Major])[]) =>
  matrix.flatMap(([name, api, major]) => WAYS.map((way) => [name, api, way, major] as const));

describe.each(casesOf(AI_SDK))('%s, %s: a secret that comes by %s', (_, api, way, major) => {
  it('is in nothing that is sent, returned, thrown or shown', async () => {
    const [traces, key] = [new Traces(), secret('ai-sdk')];
    listen(traces);
    const identity = { apiKey: key };
    const options = way === 'the option' ? { budget: { identity } } : {};
    const { guard, model, server, events } = await aiSdkScene(major, api, {
      ...OPTIONS,
      ...options,
    });
    const providerOptions = way === 'the channel' ? { hardcap: { identity } } : {};
    const call = { prompt: 'Say it.', maxRetries: 0, maxOutputTokens: 20, providerOptions, model };
    const run = async () => {
      await attempt(traces, 'answer', () => major.ai.generateText(call));
      await attempt(traces, 'refusal', () => major.ai.generateText(call));
      await attempt(traces, 'stream', async () => {
        const parts: unknown[] = [];
        const onError = ({ error }: { error: unknown }) => traces.add('onError', error);
        const { fullStream } = major.ai.streamText({ ...call, onError });
        for await (const part of fullStream) parts.push(part);
        return parts;
      });
      const dear = { ...call, maxOutputTokens: 900 };
      await attempt(traces, 'denial', () => major.ai.generateText(dear));
      await attempt(traces, 'misspelt', () => {
        const hardcap = { identity, tag: key };
        return major.ai.generateText({ ...call, providerOptions: { hardcap } });
      });
    };
    await (way === 'the context' ? guard.withIdentity(identity, run) : run());
    collect(traces, server, events);
    traces.add('model', model);
    expect(traces.placesOf(tellTale(key))).toEqual([]);
    expect(traces.placesOf(shownAs(key))).toEqual(expect.arrayContaining(SHOWN));
    expect(traces.sources).toEqual(expect.arrayContaining(HAPPENED));
  });
});

describe.each(casesOf(LANGCHAIN))('%s, %s: a secret that comes by %s', (_, api, way, major) => {
  it('is in nothing that is sent, returned, thrown or shown', async () => {
    const [traces, key] = [new Traces(), secret('langchain')];
    listen(traces);
    const identity = { apiKey: key };
    const options = { budget: way === 'the option' ? { identity } : {} };
    const { guard, model, bareModel, server, events } = await langchainScene(major, api, {
      ...OPTIONS,
      fields: { maxTokens: 20 },
      ...options,
    });
    const metadata = way === 'the channel' ? { hardcap: { identity } } : {};
    const run = async () => {
      await attempt(traces, 'answer', () => model.invoke('Say it.', { metadata }));
      await attempt(traces, 'refusal', () => model.invoke('Say it.', { metadata }));
      await attempt(traces, 'stream', async () => {
        const chunks: unknown[] = [];
        for await (const chunk of await model.stream('Say it.', { metadata })) chunks.push(chunk);
        return chunks;
      });
      const dear = bareModel({ maxTokens: 900 });
      const guarded = withSpendBudget(dear, guard, options.budget);
      await attempt(traces, 'denial', () => guarded.invoke('Say it.', { metadata }));
      const callbacks = [new SpendBudgetCallbackHandler(guard, options.budget)];
      traces.add('handler', callbacks);
      await attempt(traces, 'denial of a handler', () =>
        dear.invoke('Say it.', { metadata, callbacks }),
      );
      const hardcap = { identity, tag: key };
      await attempt(traces, 'misspelt', () => model.invoke('Say it.', { metadata: { hardcap } }));
    };
    await (way === 'the context' ? guard.withIdentity(identity, run) : run());
    collect(traces, server, events);
    traces.add('model', model);
    traces.add('model as JSON', model.toJSON());
    traces.add('model with a setting', model.withConfig({ tags: ['a'] }));
    expect(traces.placesOf(tellTale(key))).toEqual([]);
    expect(traces.placesOf(shownAs(key))).toEqual(expect.arrayContaining(SHOWN));
    expect(traces.sources).toEqual(expect.arrayContaining(HAPPENED));
  });
});
