import type { ChatOpenAI } from '@langchain/openai';
import {
  type AgentMiddleware,
  createAgent,
  llmToolSelectorMiddleware,
  summarizationMiddleware,
  tool,
} from 'langchain';
import * as z from 'zod';
import type { CallPath } from './call-paths.ts';
import type { Layered } from './layers.ts';

const ASKED = { messages: [{ role: 'user' as const, content: 'Say something.' }] };

function lookTool(name: string) {
  return tool(() => 'Seen.', { name, description: 'Looks.', schema: z.object({}) });
}

function agentOf({ model, middleware }: Layered, tools = ['look'], outer: readonly unknown[] = []) {
  return createAgent({
    model: model as unknown as ChatOpenAI,
    tools: tools.map(lookTool),
    middleware: [...(outer as readonly AgentMiddleware[]), ...middleware],
  });
}

async function read(stream: PromiseLike<AsyncIterable<unknown>>): Promise<void> {
  for await (const _item of await stream);
}

/** Those of `createAgent`, where a middleware can stand. */
export const AGENT_PATHS: Readonly<Record<string, CallPath>> = {
  '`createAgent`, `invoke`': (layered) => agentOf(layered).invoke(ASKED, layered.config),
  '`createAgent`, `stream`': (layered) => read(agentOf(layered).stream(ASKED, layered.config)),
  '`createAgent`, `streamEvents`, version v2': async (layered) =>
    read(
      Promise.resolve(agentOf(layered).streamEvents(ASKED, { ...layered.config, version: 'v2' })),
    ),
  '`createAgent`, `streamEvents`, version v3': async (layered) =>
    read(agentOf(layered).streamEvents(ASKED, { ...layered.config, version: 'v3' })),
  'the model of `summarizationMiddleware`': (layered) => {
    const { model, config } = layered;
    const trigger = { messages: 2 };
    const keep = { messages: 1 };
    const summarize = summarizationMiddleware({ model, trigger, keep } as never);
    const messages = [1, 2, 3].map(() => ({ role: 'user' as const, content: 'Say something.' }));
    return agentOf(layered, ['look'], [summarize]).invoke({ messages }, config);
  },
  'the model of `llmToolSelectorMiddleware`': (layered) => {
    const select = llmToolSelectorMiddleware({ model: layered.model, maxTools: 1 } as never);
    const tools = ['look1', 'look2', 'look3'];
    return agentOf(layered, tools, [select]).invoke(ASKED, layered.config);
  },
};
