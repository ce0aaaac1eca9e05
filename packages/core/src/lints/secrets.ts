import type { Budget } from '../budget.ts';
import { about, type Finding, type LintScope } from '../finding.ts';

/** What names of dimensions whose values nobody should read are made of. */
const SECRET_WORDS: ReadonlySet<string> = new Set([
  ...['key', 'secret', 'token', 'password', 'passwd', 'credential', 'credentials'],
  ...['bearer', 'authorization', 'jwt', 'cookie', 'apikey'],
]);

const HASH = /^[0-9a-f]*$/;
const HASH_DIGITS = 16;

/** Secrets that would be read in keys, events and the ledger, and patterns that meet only their hashes. */
export function* lintSecrets({ config, budgets }: LintScope): Generator<Finding> {
  const secrets = new Set(['apiKey', ...(config.secrets ?? [])]);
  const told = new Set<string>();
  const readable = (dimension: string): boolean => {
    if (secrets.has(dimension) || told.has(dimension) || !looksSecret(dimension)) return false;
    told.add(dimension);
    return true;
  };
  const finding = (dimension: string): Omit<Finding, 'path' | 'budget'> => ({
    code: 'readable-secret',
    severity: 'warning',
    message: `"${dimension}" looks like a secret, and its values stand readable in account keys, events and the ledger`,
    advice: `Write \`secrets: [${dimension}]\`, and they are hashed`,
  });
  for (const linted of budgets) {
    for (const dimension of linted.budget.per) {
      if (readable(dimension)) yield about(linted, 'per', finding(dimension));
    }
    for (const [field, dimension, pattern] of patternsOf(linted.budget)) {
      if (readable(dimension)) yield about(linted, field, finding(dimension));
      if (!secrets.has(dimension) || canBeHash(pattern)) continue;
      yield about(linted, field, {
        code: 'secret-pattern',
        severity: 'error',
        message: `values of "${dimension}" are hashed before they are matched, so this matches none`,
        advice: `Write the first ${HASH_DIGITS} hex digits of the SHA-256, or match another dimension`,
      });
    }
  }
  for (const dimension of Object.keys(config.identity ?? {})) {
    if (readable(dimension)) yield { ...finding(dimension), path: `identity.${dimension}` };
  }
}

/** Everything that a budget compares with an identity, and where it stands. */
function* patternsOf({
  match = {},
  overrides = [],
  exempt = [],
}: Budget): Generator<readonly [field: string, dimension: string, pattern: string]> {
  const places = [
    ['match', match] as const,
    ...overrides.map((each, at) => [`overrides[${at}].match`, each.match] as const),
    ...exempt.map((each, at) => [`exempt[${at}]`, each] as const),
  ];
  for (const [place, patterns] of places) {
    for (const [dimension, pattern] of Object.entries(patterns)) {
      yield [`${place}.${dimension}`, dimension, pattern];
    }
  }
}

function looksSecret(dimension: string): boolean {
  const words = dimension.replace(/([a-z0-9])([A-Z])/g, '$1-$2').split(/[^A-Za-z0-9]+/);
  return words.some((word) => SECRET_WORDS.has(word.toLowerCase()));
}

function canBeHash(pattern: string): boolean {
  const digits = pattern.replaceAll('*', '');
  const fits = pattern.includes('*') ? digits.length <= HASH_DIGITS : digits.length === HASH_DIGITS;
  return fits && HASH.test(digits);
}
