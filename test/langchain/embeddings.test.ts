import {
  BudgetExceededError,
  createSpendGuard,
  InvalidArgumentError,
  type LedgerEntry,
  type PriceBook,
} from '@hardcap/core';
import { withSpendBudget } from '@hardcap/langchain';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Reply } from '../wire/reply.ts';
import type { WireRequest } from '../wire/wire-request.ts';
import { type Replies, startWireServer } from '../wire/wire-server.ts';
import type { Embeddings, Fields } from './langchain.ts';
import { MAJORS, type Major } from './majors.ts';

const MODEL = 'text-embedding-3-small';
/** Pico-USD per token. */
const RATES = {
  input: 20_000,
  cacheRead: 20_000,
  cacheWrite5m: 20_000,
  cacheWrite1h: 20_000,
  output: 0,
  reasoning: 0,
};
const PRICE_BOOK: PriceBook = {
  quote: ({ provider, model }) => ({
    snapshot: { rates: RATES, source: 'test', version: '1', provider, model },
    dearest: { rates: RATES },
    free: false,
    maxOutputTokens: null,
    contextTokens: 8_192,
  }),
};

type Maker = 'openai' | 'google';

async function scene(
  { langchain }: Major,
  reply: Replies,
  cap = '1',
  fields: Fields = {},
  maker: Maker = 'openai',
) {
  const server = await startWireServer({ prices: { [MODEL]: RATES }, reply });
  onTestFinished(() => server.close());
  const guard = createSpendGuard({
    budgets: [{ name: 'cap', per: [], limit: { usd: cap }, window: 'total' }],
    prices: PRICE_BOOK,
  });
  onTestFinished(() => guard.close());
  const common = { apiKey: 'wire', model: MODEL, maxRetries: 0, ...fields };
  const bare: Embeddings =
    maker === 'google'
      ? new langchain.GoogleGenerativeAIEmbeddings({ ...common, baseUrl: server.url })
      : new langchain.OpenAIEmbeddings({
          ...common,
          configuration: { baseURL: server.openaiBaseUrl },
        });
  const entries = async (): Promise<LedgerEntry[]> => {
    const ledger: LedgerEntry[] = [];
    for await (const entry of guard.ledger()) ledger.push(entry);
    return ledger;
  };
  return { server, bare, guarded: withSpendBudget(bare, guard), entries };
}

describe.each(MAJORS)('$name: guarded embeddings', (major) => {
  it('are charged what the provider bills, batch by batch', async () => {
    const { server, guarded, entries } = await scene(major, { inputTokens: 17 }, '1', {
      batchSize: 2,
    });
    await guarded.embedDocuments(['one', 'two', 'three']);
    await guarded.embedQuery('four');
    expect(server.exchanges).toHaveLength(3);
    const charged = (await entries()).map(({ provider, model, usage }) => [
      provider,
      model,
      usage?.input,
    ]);
    expect(charged).toEqual([
      ['openai', MODEL, 34],
      ['openai', MODEL, 17],
    ]);
  });

  it('are charged for a batch that is answered after another has failed', async () => {
    let answer = () => {};
    const holdBeforeHeaders = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const reply = (request: WireRequest): Reply =>
      JSON.stringify(request.body).includes('bad')
        ? { status: 500 }
        : { inputTokens: 17, holdBeforeHeaders };
    const { guarded, entries } = await scene(major, reply, '1', { batchSize: 1 });
    await guarded.embedDocuments(['good', 'bad']).catch(() => {});
    answer();
    await expect.poll(entries).toHaveLength(1);
    expect(await entries()).toMatchObject([{ outcome: 'known', usage: { input: 17 } }]);
  });

  it('send nothing that the budget refuses', async () => {
    const { server, guarded, entries } = await scene(major, {}, '0.000000001');
    await expect(guarded.embedQuery('one')).rejects.toSatisfy(BudgetExceededError.isInstance);
    await expect(guarded.embedDocuments(['one'])).rejects.toSatisfy(BudgetExceededError.isInstance);
    expect(server.exchanges).toEqual([]);
    expect(await entries()).toEqual([]);
  });

  it('are still what they were, and give the same vectors', async () => {
    const { bare, guarded } = await scene(major, {});
    expect(guarded).toBeInstanceOf(major.langchain.OpenAIEmbeddings);
    expect(await guarded.embedQuery('one')).toEqual(await bare.embedQuery('one'));
    expect(await guarded.embedDocuments([])).toEqual([]);
  });

  it('are priced by the model that they send to, and send what was held', async () => {
    const { server, bare, guarded, entries } = await scene(major, {});
    Object.assign(bare, { model: 'text-embedding-3-large' });
    const texts = ['one'];
    const done = guarded.embedDocuments(texts);
    texts[0] = 'another one'.repeat(1_000);
    await done;
    expect(server.exchanges[0]?.body).toMatchObject({ input: ['one'] });
    expect(await entries()).toMatchObject([{ model: 'text-embedding-3-large' }]);
  });

  it('refuse ways that are not covered', async () => {
    const { bare } = await scene(major, {});
    const embedImage = async () => [1];
    const guard = createSpendGuard({
      budgets: [{ name: 'cap', per: [], limit: { usd: '1' }, window: 'total' }],
      prices: PRICE_BOOK,
    });
    onTestFinished(() => guard.close());
    const images = withSpendBudget(Object.assign(bare, { embedImage }), guard);
    expect(() => images.embedImage()).toThrow(InvalidArgumentError);
    expect(await images.embedQuery('one')).toHaveLength(8);
  });

  it.each([
    ['nothing where they were refused', { status: 500 }, 'not-sent'],
    ['their hold where nobody knows', { cutBeforeHeaders: true }, 'unknown'],
    ['their hold where no usage comes', { usage: 'missing' } as const, 'known'],
  ])('cost %s', async (_, reply, outcome) => {
    const { guarded, entries } = await scene(major, reply);
    await guarded.embedQuery('some words').catch(() => {});
    await expect.poll(entries).toHaveLength(1);
    const [entry] = await entries();
    expect(entry?.outcome).toBe(outcome);
    expect(entry?.costNanoUsd).toBe(outcome === 'not-sent' ? 0 : entry?.heldNanoUsd);
  });
});

describe.each(MAJORS)("$name: guarded embeddings of Google's", (major) => {
  const make = (reply: Replies, cap?: string) => scene(major, reply, cap, {}, 'google');

  it('are charged what the provider bills, where it says what', async () => {
    const { server, guarded, entries } = await make({ inputTokens: 17 });
    await guarded.embedDocuments(['one', 'two', 'three']);
    expect(await guarded.embedQuery('four')).toHaveLength(8);
    expect(server.exchanges).toHaveLength(2);
    const charged = (await entries()).map(({ provider, usage }) => [provider, usage?.input]);
    expect(charged).toEqual([
      ['google_genai', 17],
      ['google_genai', 17],
    ]);
  });

  it('send nothing that the budget refuses', async () => {
    const { server, guarded } = await make({}, '0.000000001');
    await expect(guarded.embedQuery('one')).rejects.toSatisfy(BudgetExceededError.isInstance);
    await expect(guarded.embedDocuments(['one'])).rejects.toSatisfy(BudgetExceededError.isInstance);
    expect(server.exchanges).toEqual([]);
  });

  it.each([
    ['nothing where they were refused', { status: 500 }, 'not-sent'],
    ['their hold where nobody knows', { cutBeforeHeaders: true }, 'unknown'],
    ['their hold where no usage comes', { usage: 'missing' } as const, 'known'],
  ])('cost %s, though the package gives empty vectors', async (_, reply, outcome) => {
    const { guarded, entries } = await make(reply);
    await guarded.embedDocuments(['some words']).catch(() => {});
    await expect.poll(entries).toHaveLength(1);
    const [entry] = await entries();
    expect(entry?.outcome).toBe(outcome);
    expect(entry?.costNanoUsd).toBe(outcome === 'not-sent' ? 0 : entry?.heldNanoUsd);
  });
});
