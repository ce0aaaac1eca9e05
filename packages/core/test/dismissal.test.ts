import { describe, expect, test } from 'vitest';
import { alertsToShow, dismissAlerts } from '../src/dismissal.ts';
import type { Alert, AlertKind } from '../src/index.ts';
import { DAY } from './support/clock.ts';

const NOON = Date.parse('2026-11-30T12:00:00Z');

function alertOf(kind: AlertKind, account = 'daily|user=ann', window = 'day:2026-11-30'): Alert {
  const figures = { limit: 100, committed: 90, held: 0, remaining: 10, denials: 0 };
  return {
    ...{ kind, account, budget: 'daily', unit: 'usd', ...figures, resetsAt: null },
    tier: kind === 'throttled' ? 'ok' : kind,
    window: { id: window, startsAt: null, endsAt: null },
  };
}

const SEEN = [alertOf('approaching'), alertOf('throttled')];
const dismissed = dismissAlerts(SEEN, NOON);

function shown(alerts: readonly Alert[], at = NOON): readonly AlertKind[] {
  return alertsToShow(alerts, dismissed, at).alerts.map(({ kind }) => kind);
}

describe('dismissed alerts', () => {
  test('are not shown, in whatever order they come and whatever their figures', () => {
    const [first, second] = SEEN as [Alert, Alert];
    expect(
      shown([
        { ...second, denials: 9 },
        { ...first, committed: 95 },
      ]),
    ).toEqual([]);
    expect(alertsToShow(SEEN, dismissed, NOON).dismissal).toBe(dismissed);
  });

  test.each<[change: string, alerts: Alert[], at?: number]>([
    ['one more', [...SEEN, alertOf('reached', 'monthly|user=ann')]],
    ['one fewer', [alertOf('approaching')]],
    ['another tier', [alertOf('reached'), alertOf('throttled')]],
    ['another account', [alertOf('approaching', 'daily|user=bob'), alertOf('throttled')]],
    ['another window', [alertOf('approaching', undefined, 'day:2026-12-01'), alertOf('throttled')]],
    ['calls refused on another day', SEEN, NOON + DAY / 2],
  ])('are shown again with all others after %s', (_, alerts, at) => {
    expect(shown(alerts, at)).toEqual(alerts.map(({ kind }) => kind));
  });

  test('stay shown when everything is as it was', () => {
    const { dismissal } = alertsToShow([], dismissed, NOON);
    expect(dismissal).toBeNull();
    expect(alertsToShow(SEEN, dismissal, NOON)).toEqual({ alerts: SEEN, dismissal: null });
  });

  test('are shown where they are of what is blocked', () => {
    const alerts = [...SEEN, alertOf('blocked', 'monthly|user=ann')];
    const { alerts: left } = alertsToShow(alerts, dismissAlerts(alerts, NOON), NOON);
    expect(left.map(({ kind }) => kind)).toEqual(['blocked']);
  });
});

test('nothing is dismissed that somebody could have put into a name', () => {
  const one = [alertOf('reached', 'a\nb'), alertOf('reached', 'c')];
  const other = [alertOf('reached', 'a'), alertOf('reached', 'b\nc')];
  expect(dismissAlerts(one, NOON)).not.toBe(dismissAlerts(other, NOON));
});
