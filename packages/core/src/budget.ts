import * as z from 'zod';
import { type BudgetLimit, parseLimit } from './budget-limit.ts';
import { ConfigError } from './errors.ts';
import { strictObject } from './strict-object.ts';
import { compileWindow, type WindowSpec } from './window.ts';

/** A named rule, in its JSON-serialisable form: per which dimensions, how much, over which window. */
export interface Budget {
  readonly name: string;
  /** Dimensions of the identity: one account for each combination of values; `[]` is one for all. */
  readonly per: readonly string[];
  /** Absent only next to `block: true`. */
  readonly limit?: BudgetLimit;
  readonly window: WindowSpec;
  /**
   * The most that a window is left by the one before, of what that has not spent of `limit`. For fixed
   * and calendar windows. @default nothing
   */
  readonly rollover?: BudgetLimit;
  /** Binds only calls whose dimensions match; `*` stands for any characters. */
  readonly match?: Readonly<Record<string, string>>;
  /** Shares of the limit at which `threshold-crossed` is raised; 1 is always one of them. */
  readonly warnAt?: readonly number[];
  /** Which window pays: the one a call was admitted in, or the one it settles in. @default 'reserve' */
  readonly attribute?: 'reserve' | 'settle';
  /** What becomes of a hold nobody settled. @default 'charge' */
  readonly onExpiry?: 'charge' | 'release';
  /** What a call is charged when nobody knows whether it ran. @default 'charge' */
  readonly onUnknown?: 'charge' | 'release';
  /** Refuses every call. */
  readonly block?: boolean;
  /** `shadow` decides, counts and reports (`would-deny`), and refuses nothing. @default 'enforce' */
  readonly mode?: 'enforce' | 'shadow';
  /**
   * What becomes of calls while the sink does not answer: `allow` admits them if all their budgets do,
   * unless one had denied the caller before, and charges them when the sink is back. @default 'deny'
   */
  readonly onSinkError?: 'deny' | 'allow';
  /** The most that each account may spend while the sink does not answer, in each process. */
  readonly emergencyLimit?: BudgetLimit;
  /**
   * Identities that this budget does not bind. What they spend is counted and ledgered on an account
   * of their own, without a limit (`user-daily|user=root|exempt`): see `status`.
   */
  readonly exempt?: readonly Readonly<Record<string, string>>[];
  /** Other limits in the same window, for identities that match: the first that does counts. */
  readonly overrides?: readonly LimitOverride[];
}

/** A limit in the unit of its budget, for identities with these dimensions; `*` as in `match`. */
export interface LimitOverride {
  readonly match: Readonly<Record<string, string>>;
  readonly limit: BudgetLimit;
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const nameSchema = z.string({ error: 'a name is a string such as "user-daily"' }).regex(NAME, {
  error: 'a name has up to 64 letters, digits, ".", "_" and "-", and starts with a letter or digit',
});
// What every object has, whatever was put into it, no identity can be without.
const dimensionSchema = nameSchema.refine((name) => !(name in {}), {
  error: 'this dimension cannot be told from a property that every object has: choose another name',
});
const perSchema = z.array(dimensionSchema, {
  error: 'write the dimensions that have accounts of their own, such as [user]; [] is one for all',
});

export const limitSchema: z.ZodType<BudgetLimit> = z
  .unknown()
  .transform((input, context): BudgetLimit => {
    const limit = parseLimit(input);
    if (!('problem' in limit)) return limit;
    context.addIssue({ code: 'custom', message: limit.problem });
    return z.NEVER;
  });

export const windowSchema: z.ZodType<WindowSpec> = z
  .unknown()
  .transform((input, context): WindowSpec => {
    try {
      return compileWindow(input as WindowSpec).spec;
    } catch (error) {
      if (!ConfigError.isInstance(error)) throw error;
      context.addIssue({ code: 'custom', message: error.message });
      return z.NEVER;
    }
  });

const SHARE = 'a share is above 0 and at most 1: write 0.8 for 80 %';
const shareSchema = z.number({ error: SHARE }).gte(1e-6, { error: SHARE }).lte(1, { error: SHARE });
const patternSchema = z
  .string({ error: 'a pattern is a string such as "claude-opus-*"' })
  .min(1, { error: 'an empty pattern matches nothing: write "*" for everything' });
const matchSchema = z.record(dimensionSchema, patternSchema, {
  error: 'write { model: "claude-opus-*" }',
});
const someSchema = matchSchema.refine((match) => `${Object.keys(match)}` !== '', {
  error: 'name a dimension',
});
const oneOf = <const Word extends string>(...words: Word[]) =>
  z.enum(words, { error: `write ${words.join(' or ')}` });

const fields = {
  name: nameSchema,
  per: perSchema.max(8, { error: 'a budget has at most 8 dimensions' }),
  limit: limitSchema.optional(),
  window: windowSchema,
  match: matchSchema.optional(),
  warnAt: z
    .array(shareSchema, { error: 'write a list of shares, such as [0.8]' })
    .max(16, { error: 'at most 16 shares' })
    .optional(),
  attribute: oneOf('reserve', 'settle').optional(),
  onExpiry: oneOf('charge', 'release').optional(),
  onUnknown: oneOf('charge', 'release').optional(),
  block: z.boolean({ error: 'write true or false' }).optional(),
  mode: oneOf('enforce', 'shadow').optional(),
  onSinkError: oneOf('deny', 'allow').optional(),
  emergencyLimit: limitSchema.optional(),
  rollover: limitSchema.optional(),
  exempt: z.array(someSchema).optional(),
  overrides: z.array(strictObject({ match: someSchema, limit: limitSchema })).optional(),
};

const budgetSchema = strictObject(fields).superRefine((budget, context) => {
  const problem = contradictionIn(budget as Budget);
  if (problem !== undefined) context.addIssue({ code: 'custom', ...problem });
});

function contradictionIn(budget: Budget): { path: string[]; message: string } | undefined {
  const { limit, window, per, block, onExpiry, overrides = [], emergencyLimit } = budget;
  const { attribute, rollover } = budget;
  if (limit === undefined && block !== true) {
    const message =
      'is missing. Write { usd: "5.00" }, `unlimited`, or `block: true` on the budget';
    return { path: ['limit'], message };
  }
  if (limit !== undefined && 'concurrent' in limit && window !== 'total') {
    const message = 'calls at the same time are counted as they run: write `window: total`';
    return { path: ['window'], message };
  }
  if (limit !== undefined && 'concurrent' in limit && onExpiry === 'charge') {
    const message = 'a call that has ended takes no place: leave it out, it is always `release`';
    return { path: ['onExpiry'], message };
  }
  if (rollover && (window === 'total' || 'rolling' in window || attribute === 'settle')) {
    const message = 'needs a fixed or calendar window, and `attribute: reserve`';
    return { path: ['rollover'], message };
  }
  if (new Set(per).size !== per.length) {
    return { path: ['per'], message: `names a dimension twice: ${per.join(', ')}. Leave one out` };
  }
  // The unit is the first field in the normal form of a limit; `count` would be a second.
  const limits = overrides.map((override) => override.limit);
  for (const other of [emergencyLimit, rollover]) if (other !== undefined) limits.push(other);
  if (limits.some((other) => `${Object.keys(other)}` !== Object.keys(limit ?? {})[0])) {
    return { path: ['limit'], message: 'the other limits of the budget have another unit' };
  }
  return undefined;
}

/** Takes budgets as {@link defineBudgets} does; {@link describeProblem} says what is wrong with them. */
export const budgetsSchema: z.ZodType<unknown> = z
  .array(budgetSchema, { error: 'write a list of budgets' })
  .superRefine((budgets, context) => {
    const seen = new Set<string>();
    for (const [index, { name }] of budgets.entries()) {
      if (seen.has(name)) {
        const message = `two budgets are named "${name}". A name belongs to one budget: rename one`;
        context.addIssue({ code: 'custom', path: [index, 'name'], message });
      }
      seen.add(name);
    }
  });

/**
 * Validates budgets and gives them back in their JSON-serialisable form.
 *
 * @throws ConfigError that names every field that is wrong and what to write instead.
 */
export function defineBudgets(input: unknown): Budget[] {
  const result = budgetsSchema.safeParse(input);
  if (result.success) return result.data as Budget[];
  const problems = result.error.issues.map((issue) => describeProblem(input, issue));
  throw new ConfigError(`Budgets are not valid. ${problems.join(' ')}`);
}

/** Names the budget and the field that an issue is about, and says what to write instead. */
export function describeProblem(
  budgets: unknown,
  { path, message }: { readonly path: readonly PropertyKey[]; readonly message: string },
): string {
  const field = path.slice(1).join('.');
  // What checks windows and durations says itself where it looked.
  const where = field === '' || message.startsWith(field) ? '' : ` ${field}:`;
  return `${nameAt(budgets, path[0])}${where} ${message.replace(/\.$/, '')}.`;
}

function nameAt(input: unknown, index: PropertyKey | undefined): string {
  if (typeof index !== 'number') return 'All of them:';
  const name = (input as { name?: unknown }[])[index]?.name;
  return typeof name === 'string' ? `Budget "${name}":` : `Budget number ${index + 1}:`;
}
