import * as v0 from '@hardcap/langchain-v0';
import { ChatAnthropic } from '@langchain/anthropic';
import { RunnableLambda } from '@langchain/core/runnables';
import * as tools from '@langchain/core/tools';
import * as langgraph from '@langchain/langgraph';
import { createReactAgent, ToolNode } from '@langchain/langgraph/prebuilt';
import { ChatOpenAI, OpenAIEmbeddings } from '@langchain/openai';
import type { Langchain, Model } from './langchain.ts';

/** One major of LangChain with the provider packages that belong to it. */
export interface Major {
  readonly name: 'langchain 0.3' | 'langchain 1';
  readonly langchain: Langchain;
}

const v1 = {
  ChatAnthropic,
  ChatOpenAI,
  OpenAIEmbeddings,
  createReactAgent,
  RunnableLambda,
  ToolNode,
  tools,
  ...langgraph,
};

// Their types differ where it does not matter here; the real ones are checked in types.test-d.ts.
export const MAJORS: readonly Major[] = [
  { name: 'langchain 0.3', langchain: v0 as unknown as Langchain },
  { name: 'langchain 1', langchain: v1 as unknown as Langchain },
];

export type Api = 'openai chat' | 'openai responses' | 'anthropic messages';

const APIS: readonly Api[] = ['openai chat', 'openai responses', 'anthropic messages'];

/** Every major with every API. */
export const MATRIX: readonly (readonly [Major['name'], Api, Major])[] = MAJORS.flatMap((each) =>
  APIS.map((api) => [each.name, api, each] as const),
);

/** A model of the real provider package, talking to a server of ours. */
export function modelOf(
  { langchain }: Major,
  api: Api,
  urls: { readonly url: string; readonly openaiBaseUrl: string },
  fields: Readonly<Record<string, unknown>>,
): Model {
  const common = { apiKey: 'wire', maxRetries: 0, ...fields };
  if (api === 'anthropic messages') {
    return new langchain.ChatAnthropic({ ...common, anthropicApiUrl: urls.url });
  }
  const configuration = { baseURL: urls.openaiBaseUrl, ...Object(fields['configuration']) };
  const useResponsesApi = api === 'openai responses';
  return new langchain.ChatOpenAI({ ...common, configuration, useResponsesApi });
}
