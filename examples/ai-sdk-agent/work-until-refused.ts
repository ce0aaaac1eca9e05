import { createOpenAI } from '@ai-sdk/openai';
import { spendBudget } from '@hardcap/ai-sdk';
import { BudgetExceededError, type GuardEvent, type SpendGuard } from '@hardcap/core';
import { generateText, wrapLanguageModel } from 'ai';
import { MODEL } from './provider.ts';

/** What a process tells the demo. */
export type WorkerMessage =
  | { readonly type: 'reserved'; readonly heldNanoUsd: number }
  | { readonly type: 'settled'; readonly costNanoUsd: number }
  | { readonly type: 'expired'; readonly costNanoUsd: number }
  | { readonly type: 'refused'; readonly reason: string };

/** Give it to `onEvent`. */
export function tellParent(event: GuardEvent): void {
  if (event.type === 'reserved') say({ type: 'reserved', heldNanoUsd: event.heldNanoUsd ?? 0 });
  if (event.type === 'settled') say({ type: 'settled', costNanoUsd: event.costNanoUsd ?? 0 });
  // That of another process, which no longer keeps it alive.
  if (event.type === 'reservation-expired') {
    say({ type: 'expired', costNanoUsd: event.charged[0]?.amount ?? 0 });
  }
}

function say(message: WorkerMessage): void {
  process.send?.(message);
}

/** Asks on and on, until it is refused. @param baseUrl empty for the real provider */
export async function workUntilRefused(guard: SpendGuard, baseUrl: string): Promise<void> {
  const openai = createOpenAI(baseUrl === '' ? {} : { apiKey: 'none', baseURL: baseUrl });
  const model = wrapLanguageModel({ model: openai(MODEL), middleware: spendBudget(guard) });
  try {
    for (;;)
      await generateText({ model, prompt: 'Name a way to spend a cent.', maxOutputTokens: 1_000 });
  } catch (error) {
    const refusal = BudgetExceededError.find(error);
    if (refusal === undefined) throw error;
    say({ type: 'refused', reason: refusal.message });
  }
  await guard.close();
  process.disconnect?.();
}
