import { describeProblem } from './budget.ts';
import { type ConfigProblem, configError } from './config-problem.ts';
import { parseConfigText } from './config-text.ts';
import { type Environment, ReferenceReader } from './environment-references.ts';
import { type GuardConfig, guardConfigSchema } from './guard-config.ts';

/** Options of {@link loadConfig}. */
export interface LoadConfigOptions {
  /** What references such as `${NAME}` mean. @default process.env, where there is one */
  readonly environment?: Environment;
  /** Opens the places in messages, as in `hardcap.yaml:4:12`. */
  readonly file?: string;
}

/**
 * The configuration of a guard from YAML, from JSON, or from an object of the same form. Values may
 * have references to the environment, `${NAME}` or `${NAME:-default}`; money is text in quotes.
 *
 * @throws ConfigError for anything that is not understood, all of it at once: each problem with its
 * line, column and path, and what to write instead.
 */
export function loadConfig(source: unknown, options: LoadConfigOptions = {}): GuardConfig {
  const { environment = processEnvironment(), file } = options;
  const text = typeof source === 'string' ? parseConfigText(source, file) : undefined;
  const reader = new ReferenceReader(environment, (path) => text?.sourceOf(path));
  const value = reader.read(text === undefined ? source : text.value);
  const result = guardConfigSchema.safeParse(value);
  const found = result.success ? [] : result.error.issues;
  const problems = [
    ...reader.problems,
    ...found
      .filter((issue) => !reader.problems.some((known) => explains(known, issue.path)))
      .map((issue) => problemOf(value, issue)),
  ];
  if (problems.length === 0) {
    const { $schema: _, ...config } = result.data as GuardConfig & { $schema?: string };
    return config;
  }
  throw configError(problems, file, (path) => text?.positionOf(path));
}

/** What cannot be read cannot be right either: that needs no second message. */
function explains({ path }: ConfigProblem, other: readonly PropertyKey[]): boolean {
  const isAround = other.every((key, at) => key === path[at]);
  return isAround && (other.length === path.length || other.at(-1) === 'limit');
}

interface Issue {
  readonly code: string;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly keys?: unknown;
}

function problemOf(config: unknown, issue: Issue): ConfigProblem {
  const { path } = issue;
  const [first, ...rest] = path;
  const { budgets } = (config ?? {}) as { budgets?: unknown };
  const isOfBudget = first === 'budgets' && rest.length > 0;
  const message = isOfBudget ? describeProblem(budgets, { ...issue, path: rest }) : issue.message;
  // Windows say themselves which of their fields they do not understand.
  const field = /^window\.(\w+)/.exec(issue.message)?.[1];
  if (isOfBudget && field !== undefined) return { path: [...path, field], message };
  const [unknown] = issue.code === 'unrecognized_keys' ? (issue.keys as string[]) : [];
  return { path: unknown === undefined ? path : [...path, unknown], message };
}

function processEnvironment(): Environment {
  const runtime = globalThis as { process?: { env?: Environment } };
  return runtime.process?.env ?? {};
}
