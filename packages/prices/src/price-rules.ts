import { ConfigError, type RateCard } from '@hardcap/core';
import { canonicalName, type ModelName, nameKey } from './model-name.ts';
import { PatternMap, parseName, parseNamePattern, parseTieredPattern } from './name-pattern.ts';
import { PER_MTOK, parseDecimal } from './pico-rate.ts';
import type { PriceBookOptions } from './price-book-options.ts';
import { parseMultiplier, type RateMultiplier } from './rate-multiplier.ts';
import { type ParsedOverride, parseOverride } from './rate-override.ts';
import { plainObject, strictObject } from './strict-object.ts';
import { isClaude } from './token-rates.ts';

/** The options of a price book, checked, in integers and by canonical key. */
export interface PriceRules {
  readonly overrides: ReadonlyMap<string, ParsedOverride>;
  readonly aliases: PatternMap<Alias>;
  readonly free: PatternMap<true>;
  readonly ceiling: RateCard | null;
  readonly passesUnpriced: boolean;
  readonly multipliers: PatternMap<RateMultiplier>;
}

/** Leads from one name to another, or from all names of a pattern to their like. */
export interface Alias {
  readonly from: string;
  readonly to: string;
}

const OPTIONS = ['overrides', 'aliases', 'free', 'unknownModel', 'multipliers'];

/** @throws ConfigError for anything that is not understood; nothing is ignored. */
export function parseRules(options: PriceBookOptions): PriceRules {
  const { overrides, aliases, free, unknownModel, multipliers } = strictObject(
    options,
    OPTIONS,
    'createPriceBook',
  );
  const rules = {
    overrides: new Map(
      keyed(overrides, 'overrides', exactKey, (value, path, key) =>
        parseOverride(value, isClaude(key), path),
      ),
    ),
    aliases: new PatternMap(keyed(aliases, 'aliases', parseNamePattern, parseAlias)),
    free: parseFree(free),
    passesUnpriced: unknownModel === 'uncounted',
    ceiling: unknownModel === 'uncounted' ? null : parseCeiling(unknownModel),
    multipliers: new PatternMap(
      keyed(multipliers, 'multipliers', parseTieredPattern, parseMultiplier),
    ),
  };
  for (const key of rules.overrides.keys()) {
    if (rules.free.getExact(key) === undefined) continue;
    throw new ConfigError(`"${key}" is in \`free\` and in \`overrides\`. Write it in one of them.`);
  }
  return rules;
}

/** The entries of a record by canonical key, of which no two may mean the same model. */
function keyed<Value>(
  record: unknown,
  name: string,
  keyOf: (text: string, path: string) => string,
  parse: (value: unknown, path: string, key: string) => Value,
): [key: string, value: Value][] {
  if (record === undefined) return [];
  const seen = new Set<string>();
  return Object.entries(plainObject(record, name)).map(([text, value]) => {
    const path = `${name}[${JSON.stringify(text)}]`;
    const key = keyOf(text, path);
    if (seen.has(key)) throw new ConfigError(`${path}: "${key}" is there twice. Write it once.`);
    seen.add(key);
    return [key, parse(value, path, key)];
  });
}

function exactKey(text: string, path: string): string {
  return nameKey(parseName(text, path));
}

function parseAlias(target: unknown, path: string, from: string): Alias {
  const to = parseNamePattern(target, path);
  if (from.endsWith('*') !== to.endsWith('*')) {
    throw new ConfigError(`${path}: write "*" at the end of both names or of neither.`);
  }
  return { from, to };
}

/** Where an alias leads a name that it holds for. */
export function followAlias(alias: Alias, key: string): ModelName {
  const to = alias.to.endsWith('*')
    ? alias.to.slice(0, -1) + key.slice(alias.from.length - 1)
    : alias.to;
  const slash = to.indexOf('/');
  return canonicalName(to.slice(0, slash), to.slice(slash + 1));
}

function parseFree(value: unknown): PatternMap<true> {
  if (value !== undefined && !Array.isArray(value)) {
    throw new ConfigError('free: write a list of models, such as ["ollama/*"].');
  }
  const names: unknown[] = value ?? [];
  return new PatternMap(
    names.map((name, index) => [parseNamePattern(name, `free[${index}]`), true] as const),
  );
}

function parseCeiling(value: unknown): RateCard | null {
  if (value === undefined) return null;
  const { ceiling } = strictObject(value, ['ceiling'], 'unknownModel');
  const path = 'unknownModel.ceiling';
  const record = strictObject(ceiling, ['input', 'output'], path);
  const input = parseDecimal(record['input'], PER_MTOK, `${path}.input`);
  const output = parseDecimal(record['output'], PER_MTOK, `${path}.output`);
  if (input === 0 || output === 0) {
    throw new ConfigError(`${path}: a ceiling of zero would make unknown models free. Write more.`);
  }
  const cached = { cacheRead: input, cacheWrite5m: input, cacheWrite1h: input };
  return { rates: { input, ...cached, output, reasoning: output } };
}
