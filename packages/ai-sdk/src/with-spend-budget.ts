import { InvalidArgumentError, type SpendGuard } from '@hardcap/core';
import { GUARDED, isGuardedBy } from './guarded-mark.ts';
import type { WrappedModel } from './middleware.ts';
import { spendBudget } from './spend-budget.ts';
import { spendBudgetForEmbeddings } from './spend-budget-for-embeddings.ts';
import { spendBudgetForImages } from './spend-budget-for-images.ts';
import { spendBudgetForPieces } from './spend-budget-for-pieces.ts';
import type { SpendBudgetForAllOptions } from './spend-budget-options.ts';

type Method = (...given: unknown[]) => unknown;
type Methods = Readonly<Record<string, Method>>;

/**
 * The model or the provider, guarded: every call of a model, and of every model that the provider
 * makes, is held before it is sent, and settled at what it cost. For all kinds of models, also those
 * for which `ai` has no middleware; what makes no model is as it was.
 *
 * @throws InvalidArgumentError for what is neither a model nor a provider.
 */
export function withSpendBudget<Target extends object>(
  target: Target,
  guard: SpendGuard,
  options: SpendBudgetForAllOptions = {},
): Target {
  const guards = new Guards(guard, options);
  if (isModel(target)) return guards.model(target) as Target;
  if (isProvider(target)) return guards.provider(target);
  throw new InvalidArgumentError(
    'withSpendBudget takes a model or a provider of the AI SDK; names of models are neither.',
  );
}

class Guards {
  readonly #guard: SpendGuard;
  readonly #language: ReturnType<typeof spendBudget>;
  readonly #embeddings: ReturnType<typeof spendBudgetForEmbeddings>;
  readonly #images: ReturnType<typeof spendBudgetForImages>;
  readonly #pieces: ReturnType<typeof spendBudgetForPieces>;

  constructor(guard: SpendGuard, options: SpendBudgetForAllOptions) {
    this.#guard = guard;
    this.#language = spendBudget(guard, options);
    this.#embeddings = spendBudgetForEmbeddings(guard, options);
    this.#images = spendBudgetForImages(guard, options);
    this.#pieces = spendBudgetForPieces(guard, options);
  }

  model<Model extends ModelOfAnyKind>(model: Model): Model {
    if (isGuardedBy(this.#guard, model)) return model;
    return withMembers(model, { ...this.#methods(model), [GUARDED]: this.#guard });
  }

  /** Whatever a provider makes of a name is guarded, by whichever of its methods. */
  provider<Provider extends object>(provider: Provider): Provider {
    const guarded = (made: unknown): unknown => (isModel(made) ? this.model(made) : made);
    return new Proxy(provider, {
      apply: (target, self, given) => guarded(Reflect.apply(target as never, self, given)),
      get: (target, key) => {
        const value: unknown = Reflect.get(target, key, target);
        if (typeof value !== 'function') return value;
        return new Proxy(value, {
          apply: (method, _self, given) => guarded(Reflect.apply(method as never, target, given)),
        });
      },
    });
  }

  #methods(model: ModelOfAnyKind): Methods {
    if (has(model, 'doEmbed')) return this.#embeddingMethods(model);
    if (has(model, 'doStream') && 'supportedUrls' in model) return this.#languageMethods(model);
    if ('maxImagesPerCall' in model) return this.#imageMethods(model);
    return Object.fromEntries(
      PIECE_METHODS.filter((name) => has(model, name)).map((name) => [
        name,
        (params: unknown) =>
          this.#pieces(model, params as object, (sent) => method(model, name)(sent) as never),
      ]),
    );
  }

  #languageMethods(model: ModelOfAnyKind): Methods {
    const language = model as unknown as WrappedModel;
    const calls = async (type: 'generate' | 'stream', given: unknown) => {
      const params = await this.#language.transformParams({
        type,
        params: given as object,
        model: language,
      });
      return {
        params,
        model: language,
        doGenerate: () => language.doGenerate(params as never) as PromiseLike<object>,
        doStream: () => language.doStream(params as never) as PromiseLike<never>,
      };
    };
    return {
      doGenerate: async (given) => this.#language.wrapGenerate(await calls('generate', given)),
      doStream: async (given) => this.#language.wrapStream(await calls('stream', given)),
    };
  }

  #embeddingMethods(model: ModelOfAnyKind): Methods {
    return {
      doEmbed: async (given) => {
        const params = await this.#embeddings.transformParams({ params: given as object, model });
        const doEmbed = () => method(model, 'doEmbed')(params) as PromiseLike<object>;
        return this.#embeddings.wrapEmbed({ doEmbed, params, model });
      },
    };
  }

  #imageMethods(model: ModelOfAnyKind): Methods {
    return {
      doGenerate: async (given) => {
        const params = await this.#images.transformParams({ params: given as object, model });
        const doGenerate = () => method(model, 'doGenerate')(params) as PromiseLike<object>;
        return this.#images.wrapGenerate({ doGenerate, params, model });
      },
    };
  }
}

/** Of models of all other kinds: speech, transcription, video, reranking, decisions, extraction. */
const PIECE_METHODS = [
  'doGenerate',
  'doGenerateFromUrl',
  'doStream',
  'doStart',
  'doRerank',
  'doDecide',
  'doExtract',
] as const;

interface ModelOfAnyKind {
  readonly provider: string;
  readonly modelId: string;
  readonly specificationVersion: string;
}

function isModel(value: unknown): value is ModelOfAnyKind {
  const model = value as Partial<ModelOfAnyKind> | null | undefined;
  return (
    typeof model === 'object' &&
    typeof model?.modelId === 'string' &&
    typeof model.provider === 'string' &&
    ['doEmbed', ...PIECE_METHODS].some((name) => has(model, name))
  );
}

function isProvider(value: object): boolean {
  return has(value, 'languageModel');
}

function has(value: object, name: string): boolean {
  return typeof (value as Readonly<Record<string, unknown>>)[name] === 'function';
}

function method(model: object, name: string): Method {
  return (model as Methods)[name]?.bind(model) as Method;
}

/** The object with some members of its own; all others work on the object itself, private ones too. */
function withMembers<Model extends object>(model: Model, own: object): Model {
  return new Proxy(model, {
    get: (target, key) => {
      if (Object.hasOwn(own, key)) return own[key as never];
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' && key !== 'constructor' ? value.bind(target) : value;
    },
  });
}
