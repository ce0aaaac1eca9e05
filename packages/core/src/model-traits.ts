/** Who makes a model: decides how images are counted. */
type ModelFamily = 'anthropic' | 'google' | 'openai' | 'xai' | 'other';

export interface ModelTraits {
  /** The model's id in lower case. */
  readonly id: string;
  readonly family: ModelFamily;
  /** Major + minor / 100, so 4.10 comes after 4.9; Infinity, the newest, where none is said. */
  readonly version: number;
  /** What Claude's newer tokenizer makes more than others of the same text. */
  readonly textScale: number;
  /** Tokens that the provider adds to a request, and to each message. */
  readonly baseTokens: number;
  readonly messageTokens: number;
}

const FAMILIES: readonly (readonly [ModelFamily, RegExp])[] = [
  ['anthropic', /claude/],
  ['google', /gemini/],
  ['xai', /grok/],
  ['other', /gpt-oss/],
  ['openai', /gpt-?\d|chatgpt|codex|\bo[1-9]\b/],
];

const PROVIDERS: readonly (readonly [ModelFamily, RegExp])[] = [
  ['anthropic', /anthropic/],
  ['google', /google|vertex/],
  ['xai', /\bxai\b/],
  ['openai', /openai|azure/],
];

const VERSIONS: Readonly<Partial<Record<ModelFamily, RegExp>>> = {
  // A date that follows, as in `claude-sonnet-4-20250514`, is no minor version.
  anthropic: /claude\D*?(\d{1,2})(?:[.-](\d{1,2})(?!\d))?(?!\d)/,
  google: /gemini\D*?(\d+)(?:\.(\d+))?/,
  openai: /gpt-?(\d+)(?:\.(\d+))?/,
};

/** Prompts and frames that providers add, measured per model: request and message. */
const OVERHEADS: readonly (readonly [RegExp, number, number])[] = [
  [/grok-code/, 768, 64],
  [/grok/, 768, 8],
  [/(?:^|\/)v0\b/, 2_560, 8],
  [/gpt-oss/, 96, 8],
];
const OVERHEAD_ELSE = [null, 64, 8] as const;

/** What the size of a model's input depends on, by its provider's name and its id. */
export function modelTraits(provider: string, model: string): ModelTraits {
  const id = model.toLowerCase();
  const family = familyOf(provider.toLowerCase(), id);
  const version = versionOf(family, id);
  const [, baseTokens, messageTokens] = OVERHEADS.find(([ids]) => ids.test(id)) ?? OVERHEAD_ELSE;
  // Opus 4.7 and later: 1.0 to 1.35 times the tokens of 4.6.
  const textScale = family === 'anthropic' && version >= 4.07 ? 1.35 : 1;
  return { id, family, version, textScale, baseTokens, messageTokens };
}

// The model's own name first: Claude is also sold by providers with other names.
function familyOf(provider: string, id: string): ModelFamily {
  const family =
    FAMILIES.find(([, ids]) => ids.test(id)) ?? PROVIDERS.find(([, names]) => names.test(provider));
  return family?.[0] ?? 'other';
}

function versionOf(family: ModelFamily, id: string): number {
  const [, major, minor = '0'] = VERSIONS[family]?.exec(id) ?? [];
  return major === undefined ? Number.POSITIVE_INFINITY : Number(major) + Number(minor) / 100;
}
