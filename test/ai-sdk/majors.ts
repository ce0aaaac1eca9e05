import { createAnthropic as anthropic2 } from '@ai-sdk/anthropic-v2';
import { createAnthropic as anthropic3 } from '@ai-sdk/anthropic-v3';
import { createAnthropic as anthropic4 } from '@ai-sdk/anthropic-v4';
import { createGoogleGenerativeAI as google2 } from '@ai-sdk/google-v2';
import { createGoogleGenerativeAI as google3 } from '@ai-sdk/google-v3';
import { createGoogleGenerativeAI as google4 } from '@ai-sdk/google-v4';
import { createOpenAICompatible as compatible1 } from '@ai-sdk/openai-compatible-v1';
import { createOpenAICompatible as compatible2 } from '@ai-sdk/openai-compatible-v2';
import { createOpenAICompatible as compatible3 } from '@ai-sdk/openai-compatible-v3';
import { createOpenAI as openai2 } from '@ai-sdk/openai-v2';
import { createOpenAI as openai3 } from '@ai-sdk/openai-v3';
import { createOpenAI as openai4 } from '@ai-sdk/openai-v4';
import * as ai5 from 'ai5';
import * as ai6 from 'ai6';
import * as ai7 from 'ai7';
import type { Model, Provider, ProviderSettings, Sdk } from './sdk.ts';

// Their warnings about what the tests do on purpose.
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });

type CreateProvider = (settings: ProviderSettings) => Provider;

/** One major of `ai` with the provider packages that belong to it. */
export interface Major {
  readonly name: 'ai 5' | 'ai 6' | 'ai 7';
  readonly ai: Sdk;
  readonly openai: CreateProvider;
  readonly anthropic: CreateProvider;
  readonly google: CreateProvider;
  readonly compatible: CreateProvider;
}

// Their types differ where it does not matter here; the real ones are checked in types.test-d.ts.
export const MAJORS: readonly Major[] = [
  major('ai 5', {
    ai: ai5,
    openai: openai2,
    anthropic: anthropic2,
    google: google2,
    compatible: compatible1,
  }),
  major('ai 6', {
    ai: ai6,
    openai: openai3,
    anthropic: anthropic3,
    google: google3,
    compatible: compatible2,
  }),
  major('ai 7', {
    ai: ai7,
    openai: openai4,
    anthropic: anthropic4,
    google: google4,
    compatible: compatible3,
  }),
];

function major(name: Major['name'], packages: Record<keyof Omit<Major, 'name'>, unknown>): Major {
  return { name, ...packages } as Major;
}

export type Api = 'openai chat' | 'openai responses' | 'anthropic messages' | 'gemini';

export const APIS: readonly Api[] = [
  'openai chat',
  'openai responses',
  'anthropic messages',
  'gemini',
];

/** Every major with every API. */
export const MATRIX: readonly (readonly [Major['name'], Api, Major])[] = MAJORS.flatMap((each) =>
  APIS.map((api) => [each.name, api, each] as const),
);

/** A model of the real provider package, talking to a server of ours. */
export function modelOf(major: Major, api: Api, baseURL: string, id: string): Model {
  const settings = { baseURL, apiKey: 'wire' };
  if (api === 'anthropic messages') return major.anthropic(settings).languageModel(id);
  if (api === 'gemini') return major.google(settings).languageModel(id);
  const openai = major.openai(settings);
  return api === 'openai chat' ? openai.chat(id) : openai.responses(id);
}
