import { type SpendBudgetOptions, spendBudget } from '@hardcap/ai-sdk';
import {
  createSpendGuard,
  type GuardEvent,
  type LedgerEntry,
  MemoryUsageSink,
  type PriceBook,
  type SpendGuard,
  type UsageSink,
} from '@hardcap/core';
import { onTestFinished } from 'vitest';

/** A cent for a token of output, and a hundredth of one for any other. */
const CENT = 10_000_000_000;
const RATES = {
  input: CENT / 100,
  cacheRead: CENT / 100,
  cacheWrite5m: CENT / 100,
  cacheWrite1h: CENT / 100,
  output: CENT,
  reasoning: CENT,
};

const pricesWith = (contextTokens: number | null): PriceBook => ({
  quote: ({ provider, model }) => ({
    snapshot: { rates: RATES, source: 'test', version: '1', provider, model },
    dearest: { rates: RATES },
    free: false,
    maxOutputTokens: 1_000,
    contextTokens,
  }),
});

export type Part = Readonly<Record<string, unknown>>;

/** What a model of ours does, in place of a provider. */
export interface Act {
  readonly stream?: () => PromiseLike<Readonly<Record<string, unknown>>>;
  readonly generate?: () => PromiseLike<Readonly<Record<string, unknown>>>;
  readonly provider?: string;
  readonly modelId?: string;
  readonly specificationVersion?: string;
}

export interface StageOptions {
  /** In USD. @default '1000' */
  readonly cap?: string;
  readonly budget?: SpendBudgetOptions;
  readonly sink?: UsageSink;
  /** What the price book knows of the context window. @default 10_000 */
  readonly contextTokens?: number | null;
}

export interface Stage {
  readonly guard: SpendGuard;
  readonly events: GuardEvent[];
  /** Everything that reached the model. */
  readonly sent: Part[];
  generate(params: Part): Promise<Part>;
  stream(params: Part): Promise<{ readonly stream: ReadableStream<Part> }>;
  entries(): Promise<LedgerEntry[]>;
}

/** Runs the hooks as every major of the SDK does, around a model that the test plays. */
export function stage(act: Act, options: StageOptions = {}): Stage {
  const events: GuardEvent[] = [];
  const sink = options.sink ?? new MemoryUsageSink();
  const limit = { usd: options.cap ?? '1000' };
  const guard = createSpendGuard({
    budgets: [{ name: 'cap', per: [], limit, window: 'total' }],
    prices: pricesWith(options.contextTokens === undefined ? 10_000 : options.contextTokens),
    sink,
    onEvent: (event) => events.push(event),
  });
  onTestFinished(() => guard.close());
  const middleware = spendBudget(guard, options.budget);
  const sent: Part[] = [];
  const unplayed = () => Promise.reject(new Error('The test plays no such call.'));
  const model = {
    provider: act.provider ?? 'openai.chat',
    modelId: act.modelId ?? 'a-model',
    specificationVersion: act.specificationVersion ?? 'v3',
    doGenerate: (params: Part) => {
      sent.push(params);
      return (act.generate ?? unplayed)();
    },
    doStream: (params: Part) => {
      sent.push(params);
      return (act.stream ?? unplayed)();
    },
  };
  const hooks = (params: Part) => ({
    params,
    model,
    doGenerate: async () => model.doGenerate(params),
    doStream: async () => (await model.doStream(params)) as { stream: ReadableStream<Part> },
  });
  return {
    guard,
    events,
    sent,
    generate: async (given) => {
      const type = 'generate' as const;
      const params = await middleware.transformParams({ type, params: given, model });
      return middleware.wrapGenerate(hooks(params));
    },
    stream: async (given) => {
      const type = 'stream' as const;
      const params = await middleware.transformParams({ type, params: given, model });
      return middleware.wrapStream(hooks(params));
    },
    entries: async () => {
      const ledger: LedgerEntry[] = [];
      for await (const entry of guard.ledger()) ledger.push(entry);
      return ledger;
    },
  };
}

export const text = (delta: string): Part => ({ type: 'text-delta', id: '0', delta });
export const START: Part = { type: 'text-start', id: '0' };
export const END: Part = { type: 'text-end', id: '0' };

export function finish(input: number | undefined, output: number | undefined): Part {
  const inputTokens = { total: input, noCache: input, cacheRead: undefined, cacheWrite: undefined };
  const outputTokens = { total: output, text: output, reasoning: undefined };
  const finishReason = { unified: 'stop', raw: 'stop' };
  return { type: 'finish', finishReason, usage: { inputTokens, outputTokens } };
}

export function streamOf(...parts: readonly Part[]): ReadableStream<Part> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
}

export async function read(stream: ReadableStream<Part>): Promise<Part[]> {
  const parts: Part[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}
