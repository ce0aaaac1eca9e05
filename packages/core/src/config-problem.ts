import { ConfigError } from './errors.ts';

/** Where something is in a text, both from 1. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** What is wrong with a configuration, and where. */
export interface ConfigProblem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** `budgets[0].limit.usd` */
function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((key, at) => {
      if (typeof key === 'number') return `[${key}]`;
      return at === 0 ? String(key) : `.${String(key)}`;
    })
    .join('');
}

/** One error of all problems, each on a line of its own with its place. */
export function configError(
  problems: readonly ConfigProblem[],
  file: string | undefined,
  positionOf: (path: readonly PropertyKey[]) => TextPosition | undefined,
  cause?: unknown,
): ConfigError {
  const placed = problems.map((problem) => ({ ...problem, at: positionOf(problem.path) }));
  placed.sort((a, b) => order(a.at, b.at));
  const lines = placed.map(({ path, message, at }) => {
    const place = placeText(file, at);
    const where = [place, pathText(path)].filter((part) => part !== '').join(' ');
    return `${where === '' ? '' : `${where}: `}${message.replace(/\.$/, '')}.`;
  });
  return new ConfigError(`The configuration is not valid.\n${lines.join('\n')}`, { cause });
}

function order(a: TextPosition | undefined, b: TextPosition | undefined): number {
  if (a === undefined || b === undefined) return 0;
  return a.line - b.line || a.column - b.column;
}

function placeText(file: string | undefined, at: TextPosition | undefined): string {
  if (at === undefined) return file ?? '';
  const { line, column } = at;
  return file === undefined ? `line ${line}, column ${column}` : `${file}:${line}:${column}`;
}
