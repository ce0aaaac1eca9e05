// Compiled, never run: the middleware fits the types of every major, with its real providers.
import { createAnthropic as anthropic2 } from '@ai-sdk/anthropic-v2';
import { createAnthropic as anthropic3 } from '@ai-sdk/anthropic-v3';
import { createAnthropic as anthropic4 } from '@ai-sdk/anthropic-v4';
import { createOpenAI as openai2 } from '@ai-sdk/openai-v2';
import { createOpenAI as openai3 } from '@ai-sdk/openai-v3';
import { createOpenAI as openai4 } from '@ai-sdk/openai-v4';
import {
  type HardcapCallOptions,
  respondOrDeny,
  spendBudget,
  spendBudgetForEmbeddings,
  spendBudgetForImages,
  withSpendBudget,
} from '@hardcap/ai-sdk';
import type { SpendGuard } from '@hardcap/core';
import * as ai5 from 'ai5';
import * as ai6 from 'ai6';
import * as ai7 from 'ai7';

declare const guard: SpendGuard;
const middleware = spendBudget(guard, { identity: { org: 'acme' } });
const hardcap = { identity: { user: 'u1' }, operationId: 'op' } satisfies HardcapCallOptions;

export const in5 = [
  ai5.wrapLanguageModel({ model: openai2().chat('gpt-4.1'), middleware }),
  ai5.wrapLanguageModel({
    model: anthropic2()('claude-sonnet-4-5'),
    middleware: [ai5.defaultSettingsMiddleware({ settings: { temperature: 0 } }), middleware],
  }),
  ai5.wrapProvider({ provider: openai2(), languageModelMiddleware: middleware }),
  ai5.createProviderRegistry(
    { openai: openai2(), anthropic: anthropic2() },
    { languageModelMiddleware: middleware },
  ),
];

export const in6 = [
  ai6.wrapLanguageModel({ model: openai3().responses('gpt-4.1'), middleware }),
  ai6.wrapLanguageModel({
    model: anthropic3()('claude-sonnet-4-5'),
    middleware: [ai6.defaultSettingsMiddleware({ settings: { temperature: 0 } }), middleware],
  }),
  ai6.wrapProvider({ provider: openai3(), languageModelMiddleware: middleware }),
  ai6.createProviderRegistry(
    { openai: openai3(), anthropic: anthropic3() },
    { languageModelMiddleware: middleware },
  ),
];

export const in7 = [
  ai7.wrapLanguageModel({ model: openai4()('gpt-4.1'), middleware }),
  ai7.wrapLanguageModel({ model: openai2().chat('gpt-4.1'), middleware }),
  ai7.wrapLanguageModel({ model: openai3().chat('gpt-4.1'), middleware }),
  ai7.wrapLanguageModel({
    model: anthropic4()('claude-sonnet-4-5'),
    middleware: [ai7.defaultSettingsMiddleware({ settings: { temperature: 0 } }), middleware],
  }),
  ai7.wrapProvider({ provider: openai4(), languageModelMiddleware: middleware }),
  ai7.createProviderRegistry(
    { openai: openai4(), anthropic: anthropic4() },
    { languageModelMiddleware: middleware },
  ),
];

const embeddings = spendBudgetForEmbeddings(guard, { estimate: 'none' });
const images = spendBudgetForImages(guard, { imageTokens: 6_240 });

export const others = [
  ai6.wrapEmbeddingModel({ model: openai3().embedding('e'), middleware: embeddings }),
  ai7.wrapEmbeddingModel({ model: openai4().embedding('e'), middleware: embeddings }),
  ai6.wrapImageModel({ model: openai3().image('i'), middleware: images }),
  ai7.wrapImageModel({ model: openai4().image('i'), middleware: images }),
  ai7.createProviderRegistry({ openai: openai4() }, { imageModelMiddleware: images }),
];

const openai = withSpendBudget(openai4(), guard, {
  pieceCost: ({ modelId }) => (modelId === 'tts-1' ? '0.015' : undefined),
});

export const guarded = [
  ai5.embed({ model: withSpendBudget(openai2().embedding('e'), guard), value: 'Hello.' }),
  ai7.embed({ model: openai.embedding('e'), value: 'Hello.' }),
  ai7.generateText({ model: openai('gpt-4.1'), prompt: 'Hello.' }),
  ai7.generateText({ model: withSpendBudget(anthropic4()('claude'), guard), prompt: 'Hello.' }),
];

const prompt = 'Hello.';

export const responses: Promise<Response>[] = [
  respondOrDeny(
    ai5.streamText({ model: openai2().chat('gpt-4.1'), prompt, providerOptions: { hardcap } }),
    (result) => result.toUIMessageStreamResponse(),
  ),
  respondOrDeny(
    ai6.streamText({ model: openai3().chat('gpt-4.1'), prompt, providerOptions: { hardcap } }),
    (result) => result.toUIMessageStreamResponse(),
  ),
  respondOrDeny(
    ai7.streamText({ model: openai4().chat('gpt-4.1'), prompt, providerOptions: { hardcap } }),
    (result) => result.toUIMessageStreamResponse(),
  ),
];

const schema = ai7.jsonSchema({ type: 'object' });
const object = ai7.streamObject({ model: openai4().chat('gpt-4.1'), prompt, schema });
// @ts-expect-error -- what is read of streamObject to look at its start is lost to the response
respondOrDeny(object, (result) => result.toTextStreamResponse());

// @ts-expect-error -- a misspelt dimension record
spendBudget(guard, { identity: { org: 1 } });
// @ts-expect-error -- no such option
spendBudget(guard, { onCutt: 'error' });
