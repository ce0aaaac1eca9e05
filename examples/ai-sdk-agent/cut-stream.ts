import { spendBudget } from '@hardcap/ai-sdk';
import { BudgetExceededError, createSpendGuard, type SpendGuard } from '@hardcap/core';
import { createPriceBook } from '@hardcap/prices';
import { streamText, wrapLanguageModel } from 'ai';
import { heading, styled } from './call-table.ts';
import { type DemoProvider, MODEL } from './provider.ts';

const CAP = '0.005';

/** A stream that goes on past every limit: it is cut, and its socket closed, when the money is gone. */
export async function cutStream({ openai, books }: DemoProvider): Promise<SpendGuard> {
  heading(`A stream that does not stop, under a cap of $${CAP}`);
  const guard = createSpendGuard({
    prices: createPriceBook(),
    budgets: [{ name: 'answer', per: ['answer'], limit: { usd: CAP }, window: 'total' }],
    identity: { answer: 'a1' },
  });
  const model = wrapLanguageModel({ model: openai(MODEL), middleware: spendBudget(guard) });
  let refusal: BudgetExceededError | undefined;
  const result = streamText({
    model,
    prompt: 'Tell a story without an end.',
    onError: ({ error }) => {
      refusal = BudgetExceededError.find(error);
    },
  });
  let words = 0;
  for await (const text of result.textStream) words += text.trim() === '' ? 0 : 1;
  const cutAtMs = Date.now();
  console.log(`${words} words arrived.`);
  if (refusal === undefined) {
    console.log(`It ended with "${await result.finishReason}", within its cap.`);
    return guard;
  }
  console.log(styled('red', 'Cut in the middle.'));
  console.log(refusal.message);
  const exchange = books?.exchanges.at(-1);
  if (exchange !== undefined) await tellSocket(exchange, cutAtMs);
  return guard;
}

async function tellSocket(
  exchange: { closed: Promise<string>; closedAtMs: number | null; tokensGenerated: number },
  cutAtMs: number,
): Promise<void> {
  const end = await exchange.closed;
  const after = Math.max(0, (exchange.closedAtMs ?? cutAtMs) - cutAtMs);
  console.log(
    `The provider saw its socket ${end === 'client-closed' ? 'closed' : end} within ${after} ms of ` +
      `the cut, after ${exchange.tokensGenerated} tokens.`,
  );
}
