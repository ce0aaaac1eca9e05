import {
  createSpendGuard,
  type GuardEvent,
  type LedgerEntry,
  type PriceBook,
  type SpendGuard,
} from '@hardcap/core';
import {
  BaseChatModel,
  type BaseChatModelParams,
} from '@langchain/core/language_models/chat_models';
import { AIMessage, AIMessageChunk, type BaseMessage } from '@langchain/core/messages';
import { ChatGenerationChunk, type ChatResult } from '@langchain/core/outputs';
import { onTestFinished } from 'vitest';

/** A cent for a token of output, and nothing for any other. */
const RATES = {
  input: 0,
  cacheRead: 0,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  output: 10_000_000_000,
  reasoning: 10_000_000_000,
};

const PRICES: PriceBook = {
  quote: ({ provider, model }) => ({
    snapshot: { rates: RATES, source: 'test', version: '1', provider, model },
    dearest: { rates: RATES },
    free: false,
    maxOutputTokens: 20,
    contextTokens: 10_000,
  }),
};

export interface Stage {
  readonly guard: SpendGuard;
  readonly events: GuardEvent[];
  entries(): Promise<LedgerEntry[]>;
}

/** A guard with one cap, in USD. */
export function stage(cap = '1000'): Stage {
  const events: GuardEvent[] = [];
  const guard = createSpendGuard({
    budgets: [{ name: 'cap', per: [], limit: { usd: cap }, window: 'total' }],
    prices: PRICES,
    onEvent: (event) => events.push(event),
  });
  onTestFinished(() => guard.close());
  const entries = async (): Promise<LedgerEntry[]> => {
    const ledger: LedgerEntry[] = [];
    for await (const entry of guard.ledger()) ledger.push(entry);
    return ledger;
  };
  return { guard, events, entries };
}

/** What a model of ours does, in place of a provider. */
export interface Act {
  readonly answer?: (signal: AbortSignal | undefined) => Promise<ChatResult>;
  readonly stream?: (signal: AbortSignal | undefined) => AsyncIterable<ChatGenerationChunk>;
}

/** A model that the test plays: it has no provider package's `caller`, retries or clean-up. */
export class PlayedModel extends BaseChatModel {
  readonly model = 'played';
  readonly #act: Act;

  constructor(act: Act, params: BaseChatModelParams = {}) {
    super(params);
    this.#act = act;
  }

  override _llmType(): string {
    return 'played';
  }

  override async _generate(
    _: BaseMessage[],
    { signal }: { signal?: AbortSignal },
  ): Promise<ChatResult> {
    return this.#act.answer?.(signal) ?? { generations: [] };
  }

  override async *_streamResponseChunks(
    _: BaseMessage[],
    { signal }: { signal?: AbortSignal },
  ): AsyncGenerator<ChatGenerationChunk> {
    for await (const chunk of this.#act.stream?.(signal) ?? []) yield chunk;
  }
}

export function chunkOf(text: string): ChatGenerationChunk {
  return new ChatGenerationChunk({ text, message: new AIMessageChunk(text) });
}

export function answerOf(text: string, usage?: readonly [number, number]): ChatResult {
  const message = new AIMessage(text);
  if (usage !== undefined) {
    const [input_tokens, output_tokens] = usage;
    const total_tokens = input_tokens + output_tokens;
    Object.assign(message, { usage_metadata: { input_tokens, output_tokens, total_tokens } });
  }
  return { generations: [{ text, message }] };
}
