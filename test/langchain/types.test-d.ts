// Compiled, never run: what is guarded keeps its type, and everything fits the types of both majors.

import type { SpendGuard } from '@hardcap/core';
import {
  type HardcapRunOptions,
  reserveFanOut,
  SpendBudgetCallbackHandler,
  spendBudgetFetch,
  spendBudgetMiddleware,
  withSpendBudget,
} from '@hardcap/langchain';
import * as v0 from '@hardcap/langchain-v0';
import { ChatAnthropic } from '@langchain/anthropic';
import * as context from '@langchain/core/context';
import { ChatOpenAI, OpenAIEmbeddings } from '@langchain/openai';
import { createAgent, initChatModel } from 'langchain';

declare const guard: SpendGuard;
const handler = new SpendBudgetCallbackHandler(guard, { preferStreaming: true });
const hardcap = { identity: { user: 'u1' }, operationId: 'op' } satisfies HardcapRunOptions;

export const guarded1: readonly [ChatOpenAI, ChatAnthropic, OpenAIEmbeddings] = [
  withSpendBudget(new ChatOpenAI({ callbacks: [handler] }), guard, { identity: { org: 'acme' } }),
  withSpendBudget(new ChatAnthropic({}), guard, { contextWindow: () => 200_000 }),
  withSpendBudget(new OpenAIEmbeddings(), guard),
];
export const guarded0: readonly [v0.ChatOpenAI, v0.ChatAnthropic, v0.OpenAIEmbeddings] = [
  withSpendBudget(new v0.ChatOpenAI({ callbacks: [handler] }), guard),
  withSpendBudget(new v0.ChatAnthropic({}), guard),
  withSpendBudget(new v0.OpenAIEmbeddings(), guard),
];
export const found = initChatModel('gpt-4.1').then((model) => withSpendBudget(model, guard));

export const answers = [
  guarded1[0].invoke('Hello.', { metadata: { hardcap }, callbacks: [handler] }),
  guarded0[0].invoke('Hello.', { metadata: { hardcap }, callbacks: [handler] }),
];

export const counted = [
  new ChatOpenAI({ configuration: { fetch: spendBudgetFetch() } }),
  new ChatAnthropic({ clientOptions: { fetch: spendBudgetFetch(fetch) } }),
  new v0.ChatOpenAI({ configuration: { fetch: spendBudgetFetch() } }),
  new v0.ChatAnthropic({ clientOptions: { fetch: spendBudgetFetch() } }),
];

export async function fannedOut(prompts: readonly string[]): Promise<unknown[]> {
  const bound = guarded1[1].bindTools([]);
  const { configs, release } = await reserveFanOut(bound, prompts, { ...hardcap });
  const answers = prompts.map((prompt, n) => bound.invoke(prompt, configs[n]));
  const older = await reserveFanOut(guarded0[0], prompts, { releaseAfterMs: 5_000 });
  answers.push(guarded0[0].invoke('Hello.', older.configs[0]) as never);
  await release();
  return Promise.all(answers);
}

const agent = createAgent({
  model: guarded1[0],
  middleware: [
    spendBudgetMiddleware(guard, { downgradeTo: guarded1[1], exitBehavior: 'interrupt' }),
  ],
});
export const run = agent.invoke({ messages: [] }, { context: { hardcap } });
handler.registerGlobally(context);

// @ts-expect-error: neither a model nor embeddings.
withSpendBudget({}, guard);
// @ts-expect-error: a handler cannot lower a limit.
new SpendBudgetCallbackHandler(guard, { minOutputTokens: 5 });
