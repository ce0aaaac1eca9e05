import { spendBudget } from '@hardcap/ai-sdk';
import { BudgetExceededError, createSpendGuard, type SpendGuard, usd } from '@hardcap/core';
import { createPriceBook } from '@hardcap/prices';
import { wrapLanguageModel } from 'ai';
import { CallTable, heading, styled } from './call-table.ts';
import { type DemoProvider, MODEL } from './provider.ts';
import { researchAgent } from './research-agent.ts';

const CAP = '1.00';

/** An agent that would loop all night, under a cap: it is refused before the call that breaks it. */
export async function runawayAgent({ openai }: DemoProvider): Promise<SpendGuard> {
  heading(`An agent that loops, under a cap of $${CAP} a day`);
  const table = new CallTable(usd(CAP));
  const guard = createSpendGuard({
    prices: createPriceBook(),
    budgets: [
      { name: 'user-daily', per: ['user'], limit: { usd: CAP }, window: { calendar: 'day' } },
    ],
    onEvent: table.listen,
  });
  const model = wrapLanguageModel({ model: openai(MODEL), middleware: spendBudget(guard) });
  try {
    await guard.withIdentity({ user: 'ada' }, () =>
      researchAgent(model).generate({ prompt: 'What is the best way to spend a dollar?' }),
    );
    console.log('The agent finished by itself.');
  } catch (error) {
    if (!BudgetExceededError.isInstance(error)) throw error;
    console.log(`\n${styled('red', 'Refused, and no request was sent.')}`);
    console.log(error.message);
  }
  return guard;
}
