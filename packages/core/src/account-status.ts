import { accountsOf } from './account-selection.ts';
import type { BoundAccount } from './bound-budgets.ts';
import type { CallBinder } from './call-binder.ts';
import type { Unit } from './denial.ts';
import type { Identity } from './identity.ts';
import type { SinkPort } from './sink-port.ts';
import { thresholdAmount } from './threshold.ts';
import type { AccountReading } from './usage-sink.ts';
import type { WindowSpan } from './window.ts';

/**
 * How near an account is to its cap, by the comparison the gate makes: `approaching` from the first
 * of `warnAt`, `reached` at the cap, `exceeded` above it.
 */
export type AccountTier = 'ok' | 'approaching' | 'reached' | 'exceeded' | 'blocked';

/** The figures of one account. Amounts in nano-USD, tokens or counts; null where there is none. */
export interface AccountStatus {
  readonly budget: string;
  readonly account: string;
  readonly unit: Unit;
  readonly limit: number | null;
  /** What of it was left by the window before; absent for budgets without `rollover`. */
  readonly rollover?: number;
  /** What set the limit, where that is not `limit` of the budget: `override user=vip`. */
  readonly limitFrom?: string;
  readonly committed: number;
  readonly held: number;
  /** In `mode: 'shadow'`: refuses nothing, and its `denials` are calls that it would have refused. */
  readonly shadow?: true;
  /** Counts what identities spend that the budget does not bind. */
  readonly exempt?: true;
  readonly remaining: number | null;
  readonly tier: AccountTier;
  readonly window: WindowSpan;
  /** Ms since the epoch. */
  readonly resetsAt: number | null;
  /**
   * Calls refused today, in UTC, by all processes that share the sink; those too that were sent smaller
   * then.
   */
  readonly denials: number;
}

/** @throws SinkUnavailableError when the sink does not answer. */
export async function statusOf(
  binder: CallBinder,
  port: SinkPort,
  identity?: Identity,
): Promise<AccountStatus[]> {
  const accounts = await accountsOf(binder, identity);
  const readings = await port.ask('read', (sink) => sink.read(accounts));
  return readings.map((reading, place) => accountStatus(accounts[place] as BoundAccount, reading));
}

export function accountStatus({ rule }: BoundAccount, reading: AccountReading): AccountStatus {
  const { limitFrom } = rule;
  const { account, limit, rollover, committed, held, window, denials } = reading;
  return {
    budget: rule.budget,
    account,
    unit: rule.unit,
    limit,
    ...(rollover === undefined ? {} : { rollover }),
    ...(limitFrom === undefined ? {} : { limitFrom }),
    committed,
    held,
    ...(rule.shadow && { shadow: true }),
    ...(rule.exempt && { exempt: true }),
    remaining: limit === null ? null : Math.max(0, limit - committed - held),
    tier: reading.blocked ? 'blocked' : tierOf(limit, committed, rule.thresholds),
    window,
    resetsAt: window.endsAt,
    denials,
  };
}

function tierOf(
  limit: number | null,
  committed: number,
  thresholds: readonly number[],
): AccountTier {
  if (limit === null) return 'ok';
  if (committed > limit) return 'exceeded';
  if (committed === limit) return 'reached';
  const [lowest] = thresholds;
  const approaching = lowest !== undefined && committed >= thresholdAmount(limit, lowest);
  return approaching ? 'approaching' : 'ok';
}
