/** Budgets that stop an agent that loops, long before a daily cap would. */
import { type Budget, defineBudgets } from './budget.ts';
import { InvalidArgumentError } from './errors.ts';

/** Options of {@link loopGuards}. */
export interface LoopGuardOptions {
  /** Whose loops are stopped: dimensions of the identity. @default ['run'] */
  readonly per?: readonly string[];
  /** Begins the names of the budgets. @default 'loop' */
  readonly name?: string;
  /** Calls in any minute. In any 15 minutes, five times as many. @default 30 */
  readonly requests?: number;
  /** USD in any 10 minutes, as a decimal string. @default no such budget */
  readonly usd?: string;
  /** Only for calls that match, as in a budget. */
  readonly match?: Budget['match'];
}

/** An agent may be at its fastest for a third of the time. */
const STEADY = { minutes: 15, minutesWorth: 5 };

/**
 * Budgets over short rolling windows, to be listed with the others:
 *
 * - `loop-burst`: requests in a minute, against a loop that spins;
 * - `loop-steady`: requests in 15 minutes, against one that is slow and does not end;
 * - `loop-spend`: USD in 10 minutes, against calls that grow. Only with `usd`, since it needs prices.
 *
 * Calls flow again by themselves as earlier ones leave the window; what should stop for good is a budget
 * with `window: total`.
 *
 * @throws ConfigError or InvalidArgumentError for options that cannot be meant.
 */
export function loopGuards(options: LoopGuardOptions = {}): Budget[] {
  const { per = ['run'], name = 'loop', requests = 30, usd, match } = options;
  if (!Number.isSafeInteger(requests * STEADY.minutesWorth) || requests < 1) {
    throw new InvalidArgumentError(`\`requests\` is a whole number from 1, not ${requests}.`);
  }
  const kept = { per, ...(match && { match }) };
  const budgets: Budget[] = [
    { name: `${name}-burst`, ...kept, limit: { requests }, window: { rolling: '1m' } },
    {
      name: `${name}-steady`,
      ...kept,
      limit: { requests: requests * STEADY.minutesWorth },
      window: { rolling: `${STEADY.minutes}m` },
    },
  ];
  if (usd !== undefined) {
    const window = { rolling: '10m' };
    budgets.push({ name: `${name}-spend`, ...kept, limit: { usd }, window });
  }
  return defineBudgets(budgets);
}
