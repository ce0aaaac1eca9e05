import { createOpenAI } from '@ai-sdk/openai';
import { spendBudget } from '@hardcap/ai-sdk';
import { BudgetExceededError, type GuardEvent } from '@hardcap/core';
import { generateText, wrapLanguageModel } from 'ai';
import { MODEL } from './provider.ts';
import { teamGuard } from './team-guard.ts';

/** What a process tells the demo. */
export type WorkerMessage =
  | { readonly type: 'reserved'; readonly heldNanoUsd: number }
  | { readonly type: 'settled'; readonly costNanoUsd: number }
  | { readonly type: 'refused'; readonly reason: string };

/** One process of several under one cap: asks on and on, until it is refused. */
const [, , file = '', baseUrl = ''] = process.argv;
const openai = createOpenAI(baseUrl === '' ? {} : { apiKey: 'none', baseURL: baseUrl });
const guard = teamGuard(file, tell);
const model = wrapLanguageModel({ model: openai(MODEL), middleware: spendBudget(guard) });

function tell(event: GuardEvent): void {
  if (event.type === 'reserved') {
    process.send?.({ type: 'reserved', heldNanoUsd: event.heldNanoUsd ?? 0 });
  }
  if (event.type === 'settled') {
    process.send?.({ type: 'settled', costNanoUsd: event.costNanoUsd ?? 0 });
  }
}

try {
  for (;;)
    await generateText({ model, prompt: 'Name a way to spend a cent.', maxOutputTokens: 1_000 });
} catch (error) {
  const refusal = BudgetExceededError.find(error);
  if (refusal === undefined) throw error;
  process.send?.({ type: 'refused', reason: refusal.message });
}
await guard.close();
process.disconnect?.();
