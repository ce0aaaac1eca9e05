import type { Alert } from './alerts.ts';
import { utcDay } from './denial-tally.ts';

/** What somebody dismissed: text to be kept wherever their settings are. */
export type Dismissal = string;

/** What {@link alertsToShow} gives. */
export interface ShownAlerts {
  readonly alerts: readonly Alert[];
  /** To be kept in place of the one that was given; null once that has come to its end. */
  readonly dismissal: Dismissal | null;
}

/**
 * Dismisses alerts as they are now: these, of these accounts, in their windows; where calls were refused
 * (`throttled`), on this day in UTC.
 *
 * @param at ms since the epoch.
 */
export function dismissAlerts(alerts: readonly Alert[], at: number = Date.now()): Dismissal {
  const day = utcDay(at);
  const names = alerts.map(({ kind, account, window }) =>
    JSON.stringify([kind, account, kind === 'throttled' ? day : window.id]),
  );
  return names.sort().join('\n');
}

/**
 * The alerts to show to somebody who may have dismissed some: all of them again as soon as there are
 * others, or fewer. What is `blocked` is shown always.
 *
 * @param at ms since the epoch.
 */
export function alertsToShow(
  alerts: readonly Alert[],
  dismissal: Dismissal | null,
  at: number = Date.now(),
): ShownAlerts {
  if (dismissal !== dismissAlerts(alerts, at)) return { alerts, dismissal: null };
  return { alerts: alerts.filter(({ kind }) => kind === 'blocked'), dismissal };
}
