import { type LanguageModel, stepCountIs, ToolLoopAgent, tool } from 'ai';
import { z } from 'zod';

const WORDS =
  'a page of the web has more words than an agent needs and it reads all of them again'.split(' ');

/** A page of some 6,000 words, as a crawler would hand it to a model. */
function page(url: string): string {
  const body = Array.from({ length: 6_000 }, (_, index) => WORDS[index % WORDS.length]).join(' ');
  return `# ${url}\n\n${body}`;
}

/** An agent with a tool and no idea when to stop: every step sends all pages again. */
export function researchAgent(model: LanguageModel) {
  return new ToolLoopAgent({
    model,
    instructions: 'Research the question. Read pages until you know everything about it.',
    maxOutputTokens: 4_000,
    stopWhen: stepCountIs(1_000),
    tools: {
      readPage: tool({
        description: 'Reads a page of the web.',
        inputSchema: z.object({ url: z.string() }),
        execute: async ({ url }) => page(url),
      }),
    },
  });
}
