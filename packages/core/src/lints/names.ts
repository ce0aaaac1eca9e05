import { about, type Finding, type LintScope } from '../finding.ts';

/** Budgets that are the same but for their names, and names that are the same but for their looks. */
export function* lintNames({ budgets }: LintScope): Generator<Finding> {
  const names = new Map<string, string>();
  const terms = new Map<string, string>();
  for (const linted of budgets) {
    const { name, ...others } = linted.budget;
    const plain = name.toLowerCase().replace(/[._-]/g, '');
    const like = names.get(plain);
    if (like !== undefined) {
      yield about(linted, 'name', {
        code: 'similar-names',
        severity: 'warning',
        message: `can hardly be told from "${like}", which has accounts of its own`,
        advice: 'Give one of them another name',
      });
    }
    names.set(plain, name);
    const { onUnknown: _, onExpiry: __, warnAt: ___, ...binding } = others;
    const key = JSON.stringify(sorted({ ...binding, per: [...binding.per].sort() }));
    const twin = terms.get(key);
    if (twin !== undefined) {
      yield about(linted, '', {
        code: 'duplicate-budget',
        severity: 'warning',
        message: `counts and refuses what "${twin}" does`,
        advice: 'Leave one of them out',
      });
    }
    terms.set(key, twin ?? name);
  }
}

/** The same with its keys in order. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, field]) => [key, sorted(field)]),
  );
}
