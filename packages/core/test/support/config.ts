import { expect } from 'vitest';
import { type LoadConfigOptions, loadConfig } from '../../src/config.ts';
import { ConfigError } from '../../src/index.ts';

/** What is wrong with a configuration, line by line. */
export function problemsOf(source: unknown, options: LoadConfigOptions = {}): string[] {
  try {
    loadConfig(source, { environment: {}, ...options });
  } catch (error) {
    if (!ConfigError.isInstance(error)) throw error;
    const [title, ...problems] = error.message.split('\n');
    expect(title).toBe('The configuration is not valid.');
    return problems;
  }
  throw new Error('The configuration was taken.');
}

export function problemOf(source: unknown, options?: LoadConfigOptions): string {
  const problems = problemsOf(source, options);
  expect(problems).toHaveLength(1);
  return problems[0] as string;
}

/** A budget in YAML that is sound but for what is given. */
export function budgetWith(fields: string): string {
  return `budgets:\n  - name: odd\n    per: [user]\n${fields.replace(/^/gm, '    ')}\n`;
}
