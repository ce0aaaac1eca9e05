import type { MatchLogic, ModelInfo, Provider } from '@pydantic/genai-prices';
import { snapshotBases } from './snapshot-suffix.ts';

/** `guessed`: the table has a rule that fits the name, and no rule that names it. */
export type ModelMatch =
  | { readonly quality: 'exact' | 'guessed'; readonly model: ModelInfo }
  | undefined;

/**
 * The model of a provider that a lower-case id names.
 *
 * genai's rules are hints such as "starts with claude-sonnet-5", which also fit the next model with a
 * longer name and another price. Only the model that genai itself would choose counts, and it is
 * `exact` only if the id is written out in its rules, or is a dated snapshot of such an id.
 */
export function matchModel(provider: Provider, id: string): ModelMatch {
  const model = provider.models.find(({ match }) => fits(match, id));
  if (model === undefined) return undefined;
  return { model, quality: isNamed(model, id) ? 'exact' : 'guessed' };
}

function fits(rule: MatchLogic, id: string): boolean {
  if ('or' in rule) return rule.or.some((part) => fits(part, id));
  if ('and' in rule) return rule.and.every((part) => fits(part, id));
  if ('equals' in rule) return id === rule.equals.toLowerCase();
  if ('starts_with' in rule) return id.startsWith(rule.starts_with.toLowerCase());
  if ('ends_with' in rule) return id.endsWith(rule.ends_with.toLowerCase());
  if ('contains' in rule) return id.includes(rule.contains.toLowerCase());
  return new RegExp(rule.regex).test(id);
}

function namesIn(rule: MatchLogic): string[] {
  if ('or' in rule) return rule.or.flatMap(namesIn);
  if ('and' in rule) return rule.and.flatMap(namesIn);
  if ('regex' in rule) return [];
  return Object.values(rule).map((name) => name.toLowerCase());
}

// A later preview under the same name may cost more: genai-prices#173 had gemini-2.5-flash-preview at
// half the price of gemini-2.5-flash-preview-09-2025.
const PREVIEW = /preview|(?:^|[-.])(?:exp|beta)(?:[-.]|$)/;

function isNamed(model: ModelInfo, id: string): boolean {
  const names = new Set([model.id.toLowerCase(), ...namesIn(model.match)]);
  const isListed = (name: string) => bedrockForms(name).some((form) => names.has(form));
  if (isListed(id)) return true;
  return snapshotBases(id).some((base) => isListed(base) && !PREVIEW.test(base));
}

const BEDROCK_REGION = /^(?:us|us-gov|eu|apac|au|ca|in|jp|sa|global)\./;
const BEDROCK_VENDOR = /^(?:amazon|anthropic)\./;

// For Bedrock the table often leaves out the region and the vendor that all ids of a model begin with.
function bedrockForms(name: string): string[] {
  const regionless = name.replace(BEDROCK_REGION, '');
  return [name, regionless, regionless.replace(BEDROCK_VENDOR, '')];
}
