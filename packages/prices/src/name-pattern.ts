import { ConfigError } from '@hardcap/core';
import { canonicalName, type ModelName, nameKey } from './model-name.ts';
import { shown } from './shown.ts';

const SHAPE = /^([^/*]+)\/([^*]+|[^*]*\*)$/;

/**
 * The canonical key of `provider/model` in a configuration, its trailing `*` kept.
 *
 * @throws ConfigError when the text names no provider or has a `*` elsewhere.
 */
export function parseNamePattern(text: unknown, path: string): string {
  const [, provider, model] = (typeof text === 'string' ? SHAPE.exec(text.trim()) : null) ?? [];
  if (provider === undefined || model === undefined) {
    throw new ConfigError(
      `${path}: ${shown(text)} is not a model. Write "provider/model", ` +
        'such as "openai/gpt-5.1"; a "*" may only end it, as in "ollama/*".',
    );
  }
  return nameKey(canonicalName(provider, model));
}

// Vertex's `claude-opus-5@default` is a model, at the tier that nobody has to ask for.
const WITH_TIER = /^(.*)@(?!default$)([a-z_]+)$/i;

/** Likewise, of a name that may end in a tier of service: `openai/*@priority`. */
export function parseTieredPattern(text: string, path: string): string {
  const [, name = text, tier] = WITH_TIER.exec(text.trim()) ?? [];
  return tieredKey(parseNamePattern(name, path), tier?.toLowerCase());
}

/** The key of a name at a tier of service; that of the name where it is the usual one. */
export function tieredKey(key: string, tier: string | undefined): string {
  return tier === undefined ? key : `${tier}:${key}`;
}

/**
 * The canonical name of exactly one model in a configuration.
 *
 * @throws ConfigError when the text is a pattern or names no provider.
 */
export function parseName(text: unknown, path: string): ModelName {
  const key = parseNamePattern(text, path);
  if (key.endsWith('*')) throw new ConfigError(`${path}: write one model here, without "*".`);
  const slash = key.indexOf('/');
  return { provider: key.slice(0, slash), model: key.slice(slash + 1) };
}

/** Looks names up among keys of which some end in `*`: an exact key first, else the longest pattern. */
export class PatternMap<Value> {
  readonly #exact = new Map<string, Value>();
  readonly #prefixes: { readonly prefix: string; readonly value: Value }[] = [];

  constructor(entries: Iterable<readonly [key: string, value: Value]>) {
    for (const [key, value] of entries) {
      if (key.endsWith('*')) this.#prefixes.push({ prefix: key.slice(0, -1), value });
      else this.#exact.set(key, value);
    }
    this.#prefixes.sort((one, other) => other.prefix.length - one.prefix.length);
  }

  getExact(key: string): Value | undefined {
    return this.#exact.get(key);
  }

  get(key: string): Value | undefined {
    return (
      this.#exact.get(key) ?? this.#prefixes.find(({ prefix }) => key.startsWith(prefix))?.value
    );
  }
}
