import {
  type Budget,
  createSpendGuard,
  type GuardEvent,
  type LedgerEntry,
  type SpendGuard,
  type SpendGuardOptions,
} from '@hardcap/core';
import { type SpendBudgetOptions, withSpendBudget } from '@hardcap/langchain';
import { expect, onTestFinished } from 'vitest';
import { PRICES, TEST_PRICE_BOOK } from '../ai-sdk/prices.ts';
import { type Replies, startWireServer, type WireServer } from '../wire/wire-server.ts';
import type { Fields, Model } from './langchain.ts';
import { type Api, type Major, modelOf } from './majors.ts';

export interface SceneOptions {
  /** In USD. @default '1000' */
  readonly cap?: string;
  readonly budgets?: readonly Budget[];
  readonly reply?: Replies;
  /** @default one of the API */
  readonly model?: string;
  /** Of the model, beside those it needs to find the server. */
  readonly fields?: Fields;
  readonly guard?: Partial<SpendGuardOptions>;
  readonly budget?: SpendBudgetOptions;
}

/** A server, a guard with one cap, and a model that is guarded by it. */
export interface Scene {
  readonly server: WireServer;
  readonly guard: SpendGuard;
  readonly model: Model;
  /** The same without a guard. */
  readonly bare: Model;
  readonly events: readonly GuardEvent[];
  /** Another one that talks to the server. */
  bareModel(fields?: Fields): Model;
  entries(): Promise<LedgerEntry[]>;
  /** Nano-USD of all entries. */
  spent(): Promise<number>;
  /** Waits until so many calls are settled. Fails where one is still open or the books are wrong. */
  settled(calls: number): Promise<LedgerEntry[]>;
}

export async function scene(
  major: Major,
  api: Api,
  { cap = '1000', reply = {}, guard: guardOptions, budget, ...options }: SceneOptions = {},
): Promise<Scene> {
  const server = await startWireServer({ prices: PRICES, reply });
  onTestFinished(() => server.close());
  const events: GuardEvent[] = [];
  const budgets = options.budgets ?? [
    { name: 'cap', per: ['user'], limit: { usd: cap }, window: 'total' as const },
  ];
  const guard = createSpendGuard({
    budgets: [...budgets],
    prices: TEST_PRICE_BOOK,
    identity: { user: 'u1' },
    onEvent: (event) => events.push(event),
    ...guardOptions,
  });
  onTestFinished(() => guard.close());
  const id = options.model ?? DEFAULT_MODELS[api];
  const bareModel = (fields: Fields = {}): Model =>
    modelOf(major, api, server, { model: id, ...options.fields, ...fields });
  const bare = bareModel();
  const entries = async (): Promise<LedgerEntry[]> => {
    const ledger: LedgerEntry[] = [];
    for await (const entry of guard.ledger()) ledger.push(entry);
    return ledger;
  };
  return {
    server,
    guard,
    bare,
    model: withSpendBudget(bare, guard, budget),
    events,
    bareModel,
    entries,
    spent: async () => (await entries()).reduce((sum, entry) => sum + (entry.costNanoUsd ?? 0), 0),
    settled: async (calls) => {
      await expect.poll(async () => (await entries()).length).toBe(calls);
      expect(await guard.verify()).toMatchObject({ reservations: 0, differences: [] });
      return entries();
    },
  };
}

const DEFAULT_MODELS: Readonly<Record<Api, string>> = {
  'openai chat': 'gpt-4.1',
  'openai responses': 'gpt-4.1',
  'anthropic messages': 'claude-sonnet-4-5',
  gemini: 'gemini-2.5-pro',
  'gemini of ChatGoogle': 'gemini-2.5-pro',
};

/** Reads a stream to its end; how it fails is not the point. */
export async function drain(stream: Promise<AsyncIterable<unknown>>): Promise<void> {
  try {
    for await (const _chunk of await stream);
  } catch {
    // See above.
  }
}
