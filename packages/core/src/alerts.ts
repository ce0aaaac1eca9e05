import { accountsOf } from './account-selection.ts';
import { type AccountStatus, accountStatus } from './account-status.ts';
import type { BoundAccount } from './bound-budgets.ts';
import type { CallBinder } from './call-binder.ts';
import type { Identity } from './identity.ts';
import type { SinkPort } from './sink-port.ts';

/**
 * Why somebody should look at an account: its spend is `approaching` the cap (the first of `warnAt`),
 * has `reached` it, or has `exceeded` it; it is `blocked`; or it refused calls today (`throttled`).
 */
export type AlertKind = 'approaching' | 'reached' | 'exceeded' | 'blocked' | 'throttled';

/** An account that somebody should look at, with its figures. */
export interface Alert extends AccountStatus {
  readonly kind: AlertKind;
}

export interface AlertFilter {
  /** Added to that of the context and of the guard, as for `status`. */
  readonly identity?: Identity;
  readonly budget?: string;
  /** Only budgets kept per one of these dimensions: what belongs to who they are, and nothing above. */
  readonly per?: readonly string[];
  readonly kinds?: readonly AlertKind[];
}

/**
 * The alerts of the accounts of an identity. An account that cannot be read has none; when none can be,
 * that is an error, since it is not the same as no alerts.
 */
export async function alertsOf(
  binder: CallBinder,
  port: SinkPort,
  { identity, budget, per, kinds }: AlertFilter,
): Promise<Alert[]> {
  const accounts = (await accountsOf(binder, identity)).filter(({ rule }) => {
    const isOwn = per === undefined || per.some((dimension) => rule.per.includes(dimension));
    return isOwn && (budget === undefined || rule.budget === budget);
  });
  const alerts = (await readable(accounts, port)).flatMap(alertsIn);
  return alerts.filter(({ kind }) => kinds === undefined || kinds.includes(kind));
}

function alertsIn(status: AccountStatus): Alert[] {
  const { tier, denials } = status;
  return [
    ...(tier === 'ok' ? [] : [{ ...status, kind: tier }]),
    ...(denials > 0 ? [{ ...status, kind: 'throttled' as const }] : []),
  ];
}

/** The figures of the accounts that can be read: of all at once, or else one by one. */
async function readable(
  accounts: readonly BoundAccount[],
  port: SinkPort,
): Promise<AccountStatus[]> {
  const read = async (asked: readonly BoundAccount[]): Promise<AccountStatus[]> => {
    const readings = await port.ask('read', (sink) => sink.read(asked));
    return readings.map((reading, place) => accountStatus(asked[place] as BoundAccount, reading));
  };
  try {
    return await read(accounts);
  } catch (error) {
    const parts = await Promise.allSettled(accounts.map((account) => read([account])));
    const known = parts.flatMap((part) => (part.status === 'fulfilled' ? part.value : []));
    if (known.length === 0) throw error;
    return known;
  }
}
