import { canonicalProvider } from './provider-names.ts';

/** A provider and a model in the one spelling that prices and price options are looked up by. */
export interface ModelName {
  readonly provider: string;
  readonly model: string;
}

// Here a slash is no part of a model's name: `openai/gpt-5.1` of `openai` is `gpt-5.1`.
const FLAT: ReadonlySet<string> = new Set([
  ...['anthropic', 'aws', 'azure', 'cohere', 'deepseek', 'google', 'mistral', 'openai'],
  ...['perplexity', 'x-ai'],
]);

/** The canonical spelling of what a framework calls a provider and a model. */
export function canonicalName(provider: string, model: string): ModelName {
  const name = canonicalProvider(provider);
  return { provider: name, model: canonicalModel(name, model.trim().toLowerCase()) };
}

function canonicalModel(provider: string, model: string): string {
  const [, prefix = '', rest = ''] = /^([^/]+)\/(.+)$/.exec(model) ?? [];
  if (FLAT.has(provider) && canonicalProvider(prefix) === provider) {
    return canonicalModel(provider, rest);
  }
  switch (provider) {
    case 'anthropic':
      // Gateways write claude-sonnet-4.5, Anthropic claude-sonnet-4-5.
      return model.replace(/(\d)\.(\d)/, '$1-$2');
    case 'aws':
      // The ARN of a foundation model or of a system's inference profile ends in a model id.
      return model.replace(/^arn:aws[^/]*:(?:foundation-model|inference-profile)\//, '');
    case 'azure':
    case 'openai':
      // A fine-tuned model costs what its base does when fine-tuned, whoever owns it.
      return model.replace(/^(ft:[^:]+):.*$/, '$1').replace(/^(.+\.ft-).+$/, '$1');
    case 'google':
      return model
        .replace(/^(?:projects\/[^/]+\/locations\/[^/]+\/)?publishers\/[^/]+\/models\//, '')
        .replace(/^models\//, '')
        .replace(/@default$/, '');
    default:
      return model;
  }
}

// A gateway sells these at their makers' list price. An open model it sends to whichever host it picks,
// at that host's price.
const LIST_PRICED: ReadonlySet<string> = new Set([
  ...['openai', 'anthropic', 'google', 'x-ai', 'mistral', 'cohere', 'perplexity'],
]);

/** The name under which a call is billed, where that is not the provider that was named; else the name itself. */
export function routedName(name: ModelName): ModelName {
  const { provider, model } = name;
  if (provider === 'gateway' || provider === 'litellm') {
    const [, vendor, rest] = /^([^/]+)\/(.+)$/.exec(model) ?? [];
    if (vendor === undefined || rest === undefined) {
      // The fallbacks of Anthropic are named as it names them.
      const isBare = provider === 'gateway' && model.startsWith('claude-');
      return isBare ? canonicalName('anthropic', model) : name;
    }
    const target = canonicalName(vendor, rest);
    return provider === 'litellm' || LIST_PRICED.has(target.provider) ? target : name;
  }
  if (provider !== 'openai') return name;
  // LangChain's ChatDeepSeek and ChatFireworks say that they are OpenAI.
  if (/^deepseek-(?:chat|reasoner|v\d)/.test(model)) return { provider: 'deepseek', model };
  if (model.startsWith('accounts/fireworks/')) return { provider: 'fireworks', model };
  return name;
}

/** A name as one string: the key of a map. */
export function nameKey({ provider, model }: ModelName): string {
  return `${provider}/${model}`;
}
