import type { ConfigProblem } from './config-problem.ts';

/** Variables by name; those that are not set may be there as undefined. */
export type Environment = Readonly<Record<string, string | undefined>>;

const REFERENCE = /\$(\$\{)|\$\{([^}]*)\}?/g;
const BODY = /^([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s;
const GRAMMAR = 'write ${NAME} or ${NAME:-default}, and $${ for ${ itself';

/**
 * A text with `${NAME}` and `${NAME:-default}` replaced, which is never looked through again; `$${`
 * stands for `${`. A variable that is empty counts as not set.
 */
function replaceReferences(
  text: string,
  environment: Environment,
): { readonly text: string; readonly problem?: string } {
  let problem: string | undefined;
  const replaced = text.replace(REFERENCE, (reference, escaped?: string, body = '') => {
    if (escaped !== undefined) return escaped;
    const parts = reference.endsWith('}') ? BODY.exec(body) : null;
    if (parts === null) {
      problem ??= `${reference} is not a reference to the environment: ${GRAMMAR}`;
      return reference;
    }
    const [, name = '', otherwise] = parts;
    const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
    if (value !== undefined && value !== '') return value;
    if (otherwise !== undefined) return otherwise;
    const state = value === undefined ? 'is not set' : 'is empty';
    problem ??= `the environment variable ${name} ${state}. Set it, or write \${${name}:-default}`;
    return reference;
  });
  return problem === undefined ? { text: replaced } : { text, problem };
}

// The environment has text alone; these are the fields that want something else.
const NUMBERS = new Set([
  ...['tokens', 'requests', 'concurrent', 'warnAt', 'anchorDay'],
  ...['reservationTtlMs', 'maxCallMs', 'unsentLimit'],
  ...['aboveInputTokens', 'maxOutputTokens', 'contextTokens'],
]);
const NUMBER = /^-?\d+(\.\d+)?$/;
const MAX_DEPTH = 32;

/**
 * A copy of a configuration with the references in its values replaced. Fields that are numbers, and
 * `block`, take what the text of a variable says.
 */
export class ReferenceReader {
  readonly problems: ConfigProblem[] = [];
  readonly #environment: Environment;
  readonly #sourceOf: (path: readonly PropertyKey[]) => string | undefined;

  constructor(
    environment: Environment,
    sourceOf: (path: readonly PropertyKey[]) => string | undefined,
  ) {
    this.#environment = environment;
    this.#sourceOf = sourceOf;
  }

  read(value: unknown, path: readonly PropertyKey[] = []): unknown {
    if (typeof value === 'string') return this.#text(value, path);
    if (typeof value === 'number' && path.at(-1) === 'usd') this.#refuseNumber(value, path);
    if (typeof value !== 'object' || value === null) return value;
    if (path.length >= MAX_DEPTH) {
      this.problems.push({ path, message: `is nested more than ${MAX_DEPTH} deep` });
      return null;
    }
    if (Array.isArray(value)) return value.map((item, at) => this.read(item, [...path, at]));
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, this.read(item, [...path, key])]),
    );
  }

  #text(value: string, path: readonly PropertyKey[]): unknown {
    if (!value.includes('${')) return value;
    const { text, problem } = replaceReferences(value, this.#environment);
    if (problem !== undefined) this.problems.push({ path, message: problem });
    if (problem !== undefined || text === value) return text;
    const field = path.findLast((key) => typeof key === 'string');
    if (NUMBERS.has(field as string) && NUMBER.test(text)) return Number(text);
    if (field === 'block' && (text === 'true' || text === 'false')) return text === 'true';
    return text;
  }

  /** What a parser made of 5.00 is no longer what somebody wrote, so money is never a number. */
  #refuseNumber(value: number, path: readonly PropertyKey[]): void {
    const written = this.#sourceOf(path) ?? String(value);
    const message = `${written} is a number, and an amount of money is text: write "${written}" in quotes`;
    this.problems.push({ path, message });
  }
}
