import { readFileSync } from 'node:fs';
import {
  type ConditionalPrice,
  findProvider,
  type MatchLogic,
  type ModelInfo,
  type Provider,
} from '@pydantic/genai-prices';

const PACKAGE = new URL('../node_modules/@pydantic/genai-prices/', import.meta.url);

const bundle = readFileSync(new URL('dist/index.js', PACKAGE), 'utf8');

export const installedVersion: string = JSON.parse(
  readFileSync(new URL('package.json', PACKAGE), 'utf8'),
).version;

/** All providers, by the ids in the bundle itself, as genai has no list of them. */
export const providers: readonly Provider[] = [...bundle.matchAll(/^ {4}id: "([^"]+)"/gm)].flatMap(
  ([, providerId = '']) => findProvider({ providerId }) ?? [],
);

/** Every price of a model, with the rows of a schedule one by one. */
export function pricesOf(model: ModelInfo): ConditionalPrice[] {
  return Array.isArray(model.prices) ? model.prices : [{ prices: model.prices }];
}

/** The ids that a model's rules write out. */
export function listedIds(model: ModelInfo): string[] {
  const ids = (rule: MatchLogic): string[] => {
    if ('or' in rule) return rule.or.flatMap(ids);
    if ('and' in rule) return rule.and.flatMap(ids);
    return 'regex' in rule ? [] : Object.values(rule);
  };
  return [...new Set([...ids(model.match), model.id])];
}
