import {
  InvalidArgumentError,
  type Settlement,
  type SpendGuard,
  type TokenUsage,
} from '@hardcap/core';
import { asObject, numberAt, objectAt, textAt } from '@hardcap/core/adapter';
import { callRequestOf } from './call-request-of.ts';
import { derived } from './chat-model.ts';
import { withObservedCaller } from './counted-retries.ts';
import { failureOutcome } from './failure-outcome.ts';
import { methodOf } from './method-of.ts';
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
  const embed = async <Vectors>(
    texts: readonly string[],
    make: (sender: GuardableEmbeddings) => Promise<Vectors>,
  ): Promise<Vectors> => {
    if (texts.length === 0) return make(embeddings);
    // A setting may have changed since they were guarded.
    const name = nameOf(embeddings, options);
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
    ...refusedWays(embeddings),
    embedDocuments: (texts: string[]) => {
      // Its caller may use the list again before it is sent.
      const own = [...texts];
      return embed(own, (sender) => sender.embedDocuments(own));
    },
    embedQuery: (text: string) => embed([text], (sender) => sender.embedQuery(text)),
  });
}

/** Some classes have further ways to embed, such as images: nothing here tells what those cost. */
function refusedWays(embeddings: object): Record<string, () => never> {
  const own: Record<string, () => never> = {};
  for (let at: object | null = embeddings; at !== null; at = Object.getPrototypeOf(at)) {
    for (const name of Object.getOwnPropertyNames(at)) {
      if (!/^embed(?:[A-Z]|dingWithRetry)/.test(name) || methodOf(embeddings, name) === undefined)
        continue;
      own[name] = () => {
        throw new InvalidArgumentError(
          `${name} of guarded embeddings is not covered: only texts are, by embedQuery and embedDocuments.`,
        );
      };
    }
  }
  return own;
}

/** The requests of one call: packages send texts in batches, and those that failed again. */
class EmbeddingRequests {
  /** Of all texts. */
  readonly #bound: number;
  #answered = 0;
  #unreported = 0;
  #input = 0;
  #servedModel: string | undefined;
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
    const servedModel = this.#servedModel;
    return {
      outcome: 'known',
      usage: inputOnly(this.#input + this.#unreported * this.#bound),
      ...(servedModel === undefined ? {} : { servedModel }),
    };
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
    this.#servedModel = textAt(asObject(response), 'model') ?? this.#servedModel;
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
  // Google's package sends to the model that its client was made with.
  const { client } = embeddings as { readonly client?: unknown };
  const sent = textAt(asObject(client), 'model')?.replace(/^models\//, '');
  const { model } = modelName({
    lsParams: undefined,
    invocationParams: { model: sent },
    model: embeddings,
  });
  return { model, provider: provider ?? PROVIDERS[kind] ?? kind };
}
