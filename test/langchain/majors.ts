import * as v0 from '@hardcap/langchain-v0';
import { ChatAnthropic } from '@langchain/anthropic';
import { RunnableLambda } from '@langchain/core/runnables';
import * as tools from '@langchain/core/tools';
import { ChatGoogle } from '@langchain/google/node';
import { ChatGoogleGenerativeAI, GoogleGenerativeAIEmbeddings } from '@langchain/google-genai';
import { ChatGroq } from '@langchain/groq';
import * as langgraph from '@langchain/langgraph';
import { createReactAgent, ToolNode } from '@langchain/langgraph/prebuilt';
import { ChatMistralAI } from '@langchain/mistralai';
import { ChatOpenAI, OpenAIEmbeddings } from '@langchain/openai';
import type { WireServer } from '../wire/wire-server.ts';
import type { Fields, Langchain, Model, ModelClass } from './langchain.ts';

/** One major of LangChain with the provider packages that belong to it. */
export interface Major {
  readonly name: 'langchain 0.3' | 'langchain 1';
  readonly langchain: Langchain;
}

const v1 = {
  ChatAnthropic,
  ChatGoogle,
  ChatGoogleGenerativeAI,
  ChatGroq,
  ChatMistralAI,
  ChatOpenAI,
  GoogleGenerativeAIEmbeddings,
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

export type Api =
  | 'openai chat'
  | 'openai responses'
  | 'anthropic messages'
  | 'gemini'
  | 'gemini of ChatGoogle';

const APIS: readonly Api[] = [
  'openai chat',
  'openai responses',
  'anthropic messages',
  'gemini',
  'gemini of ChatGoogle',
];

/** Every major with every API that it has a package for. */
export const MATRIX: readonly (readonly [Major['name'], Api, Major])[] = MAJORS.flatMap((each) =>
  APIS.filter(
    (api) => api !== 'gemini of ChatGoogle' || each.langchain.ChatGoogle !== undefined,
  ).map((api) => [each.name, api, each] as const),
);

/** Where a server of ours is found by each package. */
export type Urls = Pick<WireServer, 'url' | 'openaiBaseUrl'>;

/** The class of a model of the real provider package. */
export function classOf({ langchain }: Major, api: Api): ModelClass {
  switch (api) {
    case 'anthropic messages':
      return langchain.ChatAnthropic;
    case 'gemini':
      return langchain.ChatGoogleGenerativeAI;
    case 'gemini of ChatGoogle':
      return langchain.ChatGoogle ?? langchain.ChatGoogleGenerativeAI;
    default:
      return langchain.ChatOpenAI;
  }
}

/** A model of the real provider package, talking to a server of ours. */
export function modelOf(major: Major, api: Api, urls: Urls, fields: Fields): Model {
  const common = { apiKey: 'wire', maxRetries: 0, ...fields };
  return new (classOf(major, api))({ ...common, ...fieldsOf(api, urls, fields) });
}

function fieldsOf(api: Api, { url, openaiBaseUrl }: Urls, fields: Fields): Fields {
  const { maxTokens } = fields;
  switch (api) {
    case 'anthropic messages':
      return { anthropicApiUrl: url };
    case 'gemini':
      return { baseUrl: url, maxOutputTokens: maxTokens };
    case 'gemini of ChatGoogle':
      return { endpoint: url, maxOutputTokens: maxTokens };
    default:
      return {
        configuration: { baseURL: openaiBaseUrl, ...Object(fields['configuration']) },
        useResponsesApi: api === 'openai responses',
      };
  }
}
