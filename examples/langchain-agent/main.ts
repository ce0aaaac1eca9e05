import { createSpendGuard, formatUsd, type GuardEvent } from '@hardcap/core';
import { isBudgetExceeded, withSpendBudget } from '@hardcap/langchain';
import { createPriceBook } from '@hardcap/prices';
import { Command } from '@langchain/langgraph';
import { ChatOpenAI } from '@langchain/openai';
import { localProvider, MODEL } from './local-provider.ts';
import { researchAgent } from './research-agent.ts';

const CAP = '0.08';
const IDENTITY = { user: 'ada' };

const provider = await localProvider();
const model = new ChatOpenAI({
  model: MODEL,
  apiKey: 'none',
  maxTokens: 2_000,
  configuration: { baseURL: provider.openaiBaseUrl },
});
const guard = createSpendGuard({
  prices: createPriceBook(),
  budgets: [
    { name: 'user-daily', per: ['user'], limit: { usd: CAP }, window: { calendar: 'day' } },
  ],
  onEvent: tell,
});

console.log(`An agent under a cap of $${CAP} a day, against a local server.`);
const agent = researchAgent(model, guard);
const run = {
  configurable: { thread_id: 'research' },
  context: { hardcap: { identity: IDENTITY } },
};
const question = { messages: [{ role: 'user' as const, content: 'How to spend a dollar?' }] };
const paused = await agent.invoke(question, run);
console.log(`\nPaused: ${JSON.stringify(paused).includes('__interrupt__')}, with no request sent.`);

console.log('\nTopped up by $0.05, it goes on from where it was:');
await guard.topUp({ budget: 'user-daily', identity: IDENTITY }, { usd: '0.05' });
const { messages } = await agent.invoke(new Command({ resume: true }), run);
console.log(`Answer: ${messages.at(-1)?.text.trim()}`);

console.log('\nThe same budget holds the model itself, and its streams:');
const guarded = withSpendBudget(model, guard, { identity: IDENTITY });
try {
  for (let number = 1; ; number += 1) {
    for await (const _chunk of await guarded.stream(
      `Question ${number}: ${'why? '.repeat(9_000)}`,
    ));
  }
} catch (error) {
  if (!isBudgetExceeded(error)) throw error;
  console.log(`Refused: ${(error as Error).message}`);
}

let ledger = 0;
for await (const entry of guard.ledger()) ledger += entry.costNanoUsd ?? 0;
const billed = provider.billedNanoUsd();
console.log(`\nThe ledger says ${formatUsd(ledger)}, the provider billed ${formatUsd(billed)}.`);
await provider.close();
if (ledger !== billed) process.exitCode = 1;

function tell(event: GuardEvent): void {
  if (event.type === 'settled') console.log(`  a call cost ${formatUsd(event.costNanoUsd ?? 0)}`);
}
