import { contextOf, findInTable, tablePrice } from './genai-model.ts';
import { GENAI_SOURCE } from './genai-table.ts';
import { movedTo } from './known-errors.ts';
import { canonicalName, type ModelName, nameKey, routedName } from './model-name.ts';
import { tieredKey } from './name-pattern.ts';
import { outputLimit } from './output-limits.ts';
import { followAlias, type PriceRules } from './price-rules.ts';
import { fixedModel, freeModel, multiplyModel, type PricedModel } from './priced-model.ts';
import type { RateMultiplier } from './rate-multiplier.ts';
import type { ParsedOverride } from './rate-override.ts';
import { snapshotBases } from './snapshot-suffix.ts';

/** Aliases may lead to aliases, and must end. */
const NAMES_MAX = 16;

/** The price of what a framework calls a provider and a model; a string says why it has none. */
export function resolveModel(
  rules: PriceRules,
  provider: string,
  model: string,
  serviceTier?: string,
): PricedModel | string {
  const names: ModelName[] = [];
  const priced = resolveName(rules, canonicalName(provider, model), names);
  if (typeof priced === 'string' || priced.source !== GENAI_SOURCE) return priced;
  // The name that was called comes first: a factor on a deployment beats one on what it stands for.
  const factorOf = (tier?: string): RateMultiplier | undefined =>
    names.map((name) => multiplierOf(rules, name, tier)).find(Boolean);
  const multiplier = factorOf();
  const ofTier = serviceTier === undefined ? undefined : factorOf(serviceTier);
  // Where what has no price is let through, the list price is better than none.
  if (ofTier === undefined && DEARER_TIERS.has(serviceTier) && !rules.passesUnpriced) {
    const name = `"${provider}/${model}@${serviceTier}"`;
    return `its ${serviceTier} tier costs more: state a factor for ${name} in \`multipliers\``;
  }
  return [multiplier, ofTier].reduce(
    (sum, factor) => (factor === undefined ? sum : multiplyModel(sum, factor)),
    priced,
  );
}

/** That of the name or what it is a snapshot of, else of a pattern. */
function multiplierOf(
  { multipliers }: PriceRules,
  name: ModelName,
  tier: string | undefined,
): RateMultiplier | undefined {
  const [key = '', ...bases] = withBases(name).map((each) => tieredKey(nameKey(each), tier));
  const exact = [key, ...bases].map((each) => multipliers.getExact(each)).find(Boolean);
  return exact ?? multipliers.get(key);
}

/** The others cost the list price, or less. */
const DEARER_TIERS: ReadonlySet<string | undefined> = new Set(['fast', 'priority', 'ultrafast']);

/**
 * An override, else `free`, else an alias, else what is known better than the table, else the table.
 * Every name that was looked up on the way is added to `names`.
 */
function resolveName(rules: PriceRules, name: ModelName, names: ModelName[]): PricedModel | string {
  if (names.length > NAMES_MAX) return 'its aliases lead nowhere';
  const routed = routedName(name);
  for (const candidate of routed === name ? [name] : [name, routed]) {
    names.push(candidate);
    const configured = configuredPrice(rules, candidate, names);
    if (configured !== undefined) return configured;
  }
  const moved = movedTo(nameKey(routed));
  const [provider = '', model = ''] = moved?.split('/') ?? [];
  return tablePrice(moved === undefined ? routed : { provider, model });
}

function configuredPrice(
  rules: PriceRules,
  name: ModelName,
  names: ModelName[],
): PricedModel | string | undefined {
  const key = nameKey(name);
  const override = overrideOf(rules, name);
  if (override !== undefined) return overriddenModel(name, override);
  if (rules.free.get(key) !== undefined) return freeModel(name.provider, name.model);
  const alias = rules.aliases.get(key);
  return alias === undefined ? undefined : resolveName(rules, followAlias(alias, key), names);
}

function overrideOf(rules: PriceRules, name: ModelName): ParsedOverride | undefined {
  const own = rules.overrides.get(nameKey(name));
  if (own !== undefined || rules.overrides.size === 0) return own;
  return withBases(name)
    .map((base) => rules.overrides.get(nameKey(base)))
    .find(Boolean);
}

/**
 * The name, and those that it is a snapshot of. Providers answer a call of gpt-5.1 with
 * gpt-5.1-2025-11-13, which must not fall back to the table. A snapshot that the table keeps apart
 * from its family, as gpt-4o-2024-05-13, has a price of its own.
 */
function withBases(name: ModelName): ModelName[] {
  const bases = snapshotBases(name.model).map((model) => ({ provider: name.provider, model }));
  return [name, ...bases.filter((base) => findInTable(base).model === findInTable(name).model)];
}

function overriddenModel(name: ModelName, override: ParsedOverride): PricedModel {
  const { card, maxOutputTokens, contextTokens } = override;
  const listed = findInTable(routedName(name)).model;
  return {
    ...fixedModel('override', name.provider, name.model, card),
    maxOutputTokens: maxOutputTokens ?? outputLimit(nameKey(name)),
    contextTokens: contextTokens ?? (listed === undefined ? null : contextOf(listed)),
  };
}
