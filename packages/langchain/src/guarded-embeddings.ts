import type { Settlement, SpendGuard, TokenUsage } from '@hardcap/core';
import { numberAt, objectAt } from '@hardcap/core/adapter';
import { callRequestOf } from './call-request-of.ts';
import { derived } from './chat-model.ts';
import { withObservedCaller } from './counted-retries.ts';
import { failureOutcome } from './failure-outcome.ts';
import { modelName } from './model-name.ts';
import { reserved } from './reserved.ts';
import type { ModelName, SpendBudgetOptions } from './spend-budget-options.ts';

/** What can be guarded of embeddings: every `Embeddings` of `@langchain/core` has it. */
export interface GuardableEmbeddings {
  embedDocuments(texts: string[]): Promise<number[][]>;
  embedQuery(text: string): Promise<number[]>;
}

export function isEmbeddings(value: unknown): value is GuardableEmbeddings {
  const embeddings = value as Partial<GuardableEmbeddings> | null | undefined;
  return (
    typeof embeddings?.embedDocuments === 'function' && typeof embeddings.embedQuery === 'function'
  );
}

/** The embeddings, guarded: an instance of the same class that reserves before it sends texts. */
export function guardedEmbeddings(
  embeddings: GuardableEmbeddings,
  guard: SpendGuard,
  options: SpendBudgetOptions,
): GuardableEmbeddings {
  const name = nameOf(embeddings, options);
  const embed = async <Vectors>(
    texts: readonly string[],
    make: (sender: GuardableEmbeddings) => Promise<Vectors>,
  ): Promise<Vectors> => {
    if (texts.length === 0) return make(embeddings);
    const request = await callRequestOf(
      {
        name,
        messages: texts.map((content) => ({ content })),
        params: {},
        maxOutputTokens: 0,
        minOutputTokens: undefined,
        channel: undefined,
      },
      options,
    );
    const spend = await reserved(guard, request);
    const requests = new EmbeddingRequests(request.inputTokens);
    const settle = (settlement: Settlement) => spend.settle(settlement).catch(() => {});
    try {
      const vectors = await make(requests.observed(embeddings));
      await settle(requests.settlement());
      return vectors;
    } catch (error) {
      // Other batches may still be under way, and are paid for.
      void requests.done().then(() => settle(requests.failure(error)));
      throw error;
    }
  };
  return derived(embeddings, {
    embedDocuments: (texts: string[]) => embed(texts, (sender) => sender.embedDocuments(texts)),
    embedQuery: (text: string) => embed([text], (sender) => sender.embedQuery(text)),
  });
}

/** The requests of one call: packages send texts in batches, and those that failed again. */
class EmbeddingRequests {
  /** Of all texts. */
  readonly #bound: number;
  #answered = 0;
  #unreported = 0;
  #input = 0;
  readonly #sent: Promise<void>[] = [];

  constructor(bound: number) {
    this.#bound = bound;
  }

  observed(embeddings: GuardableEmbeddings): GuardableEmbeddings {
    const observe = (request: Promise<unknown>): Promise<unknown> => {
      this.#sent.push(request.then(this.#answer, this.#fail));
      return request;
    };
    return (
      withObservedClient(embeddings, observe) ??
      withObservedCaller(embeddings, {
        observed:
          (callable) =>
          (...given) =>
            observe(callable(...given)),
      })
    );
  }

  async done(): Promise<void> {
    await Promise.all(this.#sent);
  }

  settlement(): Settlement {
    if (this.#answered === 0) return { outcome: this.#isRefused ? 'not-sent' : 'unknown' };
    return { outcome: 'known', usage: inputOnly(this.#input + this.#unreported * this.#bound) };
  }

  /** Google's package throws nothing then, and gives empty vectors. */
  get #isRefused(): boolean {
    return this.#sent.length > 0 && this.#unreported === 0;
  }

  failure(error: unknown): Settlement {
    return this.#answered + this.#unreported === 0 ? failureOutcome(error) : this.settlement();
  }

  readonly #answer = (response: unknown): void => {
    this.#answered += 1;
    const usage = objectAt(response, 'usage');
    const tokens =
      numberAt(usage, 'prompt_tokens') ??
      numberAt(usage, 'total_tokens') ??
      numberAt(objectAt(response, 'usageMetadata'), 'promptTokenCount');
    if (tokens === undefined) this.#unreported += 1;
    else this.#input += tokens;
  };

  /** It may have been billed, and nobody says which of the texts it had. */
  readonly #fail = (error: unknown): void => {
    if (failureOutcome(error).outcome === 'unknown') this.#unreported += 1;
  };
}

/** The methods by which Google's package sends its requests; undefined for other packages. */
const CLIENT_METHODS = ['embedContent', 'batchEmbedContents'] as const;

/** The embeddings, whose client tells of each request: Google's package hides answers and failures. */
function withObservedClient(
  embeddings: GuardableEmbeddings,
  observe: (request: Promise<unknown>) => Promise<unknown>,
): GuardableEmbeddings | undefined {
  const client = objectAt(embeddings, 'client');
  const methods = CLIENT_METHODS.flatMap((name) => {
    const send = client?.[name];
    return typeof send === 'function' ? [[name, send] as const] : [];
  });
  if (client === undefined || methods.length === 0) return undefined;
  const own = methods.map(([name, send]) => [
    name,
    (...given: unknown[]) => observe(send.apply(client, given) as Promise<unknown>),
  ]);
  return derived(embeddings, { client: derived(client, Object.fromEntries(own)) });
}

function inputOnly(input: number): TokenUsage {
  return { input, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 0, reasoning: 0 };
}

/** What the classes call their provider, where that is not its name. */
const PROVIDERS: Readonly<Record<string, string>> = {
  azureopenai: 'azure',
  mistralai: 'mistral',
  googlegenerativeai: 'google_genai',
  vertexai: 'google_vertexai',
  bedrock: 'amazon_bedrock',
};

function nameOf(embeddings: object, { provider }: SpendBudgetOptions): ModelName {
  const kind = embeddings.constructor.name.replace(/Embeddings.*$/, '').toLowerCase();
  const { model } = modelName({ lsParams: undefined, model: embeddings });
  return { model, provider: provider ?? PROVIDERS[kind] ?? kind };
}
