import { asObject, type JsonObject, textAt } from '@hardcap/core/adapter';
import type { ModelName } from './spend-budget-options.ts';

/** What tells the provider and the model of a call. */
export interface NameSources {
  /** What `getLsParams` says, which is also in the metadata of a run. */
  readonly lsParams: unknown;
  readonly invocationParams?: unknown;
  /** The model, or what it is serialised as. */
  readonly model: unknown;
  /** What the model calls its own kind: `openai`, `deepseek`. */
  readonly kind?: string | undefined;
}

/** The names a call is priced by; the model's is empty where nothing tells it. */
export function modelName(sources: NameSources): ModelName {
  const lsParams = asObject(sources.lsParams);
  const provider = providerOf(textAt(lsParams, 'ls_provider'), sources.kind);
  const sent = asObject(sources.invocationParams);
  const stated =
    textAt(lsParams, 'ls_model_name') ?? firstText([sent, sources.model], MODEL_FIELDS) ?? '';
  return { provider, model: isNamedByPath(provider) ? stated : sentName(sent, stated) };
}

/** Azure runs what the URL names, whatever the request says. */
function isNamedByPath(provider: string): boolean {
  return /azure/.test(provider);
}

/** Settings may put another model into the request than the one that was asked for, or none at all. */
function sentName(sent: JsonObject | undefined, stated: string): string {
  const name = sent?.['model'];
  if (name === null) return '';
  return typeof name === 'string' && name !== '' ? name : stated;
}

/** Gemini, whichever of Google's services sells it. */
export function isGoogle({ provider }: ModelName): boolean {
  return /^google/.test(provider);
}

const MODEL_FIELDS = ['model', 'modelName', 'modelId', 'model_name', 'model_id'] as const;

/** Classes that are made of OpenAI's report its name, and their own only as their kind. */
function providerOf(stated = '', kind = ''): string {
  const isBorrowed = stated === 'openai' && kind !== '' && !/openai/.test(kind);
  const provider = stated === '' || isBorrowed ? kind : stated;
  return provider === '' ? 'unknown' : provider.toLowerCase();
}

function firstText(places: readonly unknown[], keys: readonly string[]): string | undefined {
  for (const place of places) {
    for (const key of keys) {
      const text = textAt(asObject(place), key);
      if (text !== undefined && text !== '') return text;
    }
  }
  return undefined;
}
