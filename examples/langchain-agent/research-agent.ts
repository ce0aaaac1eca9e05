import type { SpendGuard } from '@hardcap/core';
import { spendBudgetMiddleware } from '@hardcap/langchain';
import { MemorySaver } from '@langchain/langgraph';
import type { ChatOpenAI } from '@langchain/openai';
import { createAgent, tool } from 'langchain';
import { z } from 'zod';

const readPage = tool(({ page }) => `Page ${page}. ${'It has a lot of words. '.repeat(800)}`, {
  name: 'readPage',
  description: 'Reads a page.',
  schema: z.object({ page: z.number() }),
});

/** An agent that pauses where a budget refuses its next step. The middleware stands last. */
export function researchAgent(model: ChatOpenAI, guard: SpendGuard) {
  return createAgent({
    model,
    tools: [readPage],
    systemPrompt: 'Research the question. Read the pages, then answer.',
    middleware: [
      spendBudgetMiddleware(guard, { exitBehavior: 'interrupt', minOutputTokens: 1_000 }),
    ],
    checkpointer: new MemorySaver(),
  });
}
