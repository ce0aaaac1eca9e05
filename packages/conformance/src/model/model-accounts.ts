import type { Account } from '@hardcap/core';
import { accountOf } from '../accounts.ts';

/** Noon of the day before clocks go forward in New York, as UTC. */
export const START: number = Date.UTC(2027, 2, 13, 12);

/**
 * Every kind of window, an account that refuses nothing, accounts that roll over, both attributions and
 * both expiries, in several units.
 */
export function modelAccounts(): Account[] {
  const warned = { thresholds: [500_000, 800_000, 1_000_000] };
  const carried = { attribute: 'settle' } as const;
  const lenient = { onExpiry: 'release' } as const;
  const day = { calendar: 'day', timeZone: 'America/New_York' } as const;
  const rolling = { rolling: '10m', resolution: '1m' };
  return [
    accountOf('total', { ...warned, unit: 'usd' }),
    accountOf('minute', { ...warned, limit: 60, window: { fixed: '1m' } }),
    accountOf('saved', { ...warned, limit: 30, rollover: 25, window: { fixed: '1m' } }),
    accountOf('kept', { ...lenient, limit: 80, rollover: 80, window: day }),
    accountOf('day', { ...warned, ...carried, ...lenient, limit: 80, window: day }),
    accountOf('rolling', { ...warned, limit: 70, window: rolling }),
    accountOf('carried', { ...warned, ...carried, limit: 50, window: rolling }),
    accountOf('watched', { shadow: true, limit: 40, window: { fixed: '1m' } }),
    accountOf('few', { ...lenient, unit: 'requests', limit: 3 }),
  ];
}
