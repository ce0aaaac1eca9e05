import { type SpendBudgetOptions, spendBudget } from '@hardcap/ai-sdk';
import {
  type Budget,
  createSpendGuard,
  type GuardEvent,
  type LedgerEntry,
  type SpendGuard,
  type SpendGuardOptions,
} from '@hardcap/core';
import { expect, onTestFinished } from 'vitest';
import { type Replies, startWireServer, type WireServer } from '../wire/wire-server.ts';
import { type Api, type Major, modelOf } from './majors.ts';
import { PRICES, TEST_PRICE_BOOK } from './prices.ts';
import type { Model } from './sdk.ts';

export interface SceneOptions {
  /** In USD. @default '1000' */
  readonly cap?: string;
  readonly budgets?: readonly Budget[];
  readonly reply?: Replies;
  /** @default one of the API */
  readonly model?: string;
  readonly guard?: Partial<SpendGuardOptions>;
  readonly budget?: SpendBudgetOptions;
}

/** A server, a guard with one cap, and a model that is wrapped with it. */
export interface Scene {
  readonly server: WireServer;
  readonly guard: SpendGuard;
  readonly model: Model;
  /** The same without the middleware. */
  readonly bare: Model;
  readonly events: readonly GuardEvent[];
  wrap(model: Model, options?: SpendBudgetOptions): Model;
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
  const bare = modelOf(major, api, server[BASE_URLS[api]], id);
  const wrap = (model: Model, own?: SpendBudgetOptions): Model =>
    major.ai.wrapLanguageModel({ model, middleware: spendBudget(guard, own) });
  const entries = async (): Promise<LedgerEntry[]> => {
    const ledger: LedgerEntry[] = [];
    for await (const entry of guard.ledger()) ledger.push(entry);
    return ledger;
  };
  return {
    server,
    guard,
    bare,
    model: wrap(bare, budget),
    events,
    wrap,
    entries,
    spent: async () => (await entries()).reduce((sum, entry) => sum + (entry.costNanoUsd ?? 0), 0),
    settled: async (calls) => {
      await expect.poll(async () => (await entries()).length, PATIENT).toBe(calls);
      expect(await guard.verify()).toMatchObject({ reservations: 0, differences: [] });
      return entries();
    },
  };
}

/** Nothing here is to depend on how busy the machine is. */
export const PATIENT = { timeout: 8_000 } as const;

const DEFAULT_MODELS: Readonly<Record<Api, string>> = {
  'openai chat': 'gpt-4.1',
  'openai responses': 'gpt-4.1',
  'anthropic messages': 'claude-sonnet-4-5',
  gemini: 'gemini-2.5-pro',
};

const BASE_URLS = {
  'openai chat': 'openaiBaseUrl',
  'openai responses': 'openaiBaseUrl',
  'anthropic messages': 'anthropicBaseUrl',
  gemini: 'googleBaseUrl',
} as const satisfies Readonly<Record<Api, keyof WireServer>>;
