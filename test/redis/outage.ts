import type { Budget, CallRequest, Settlement } from '@hardcap/core';

/** What each user may use, and go on using up to 300 tokens while the server is away. */
export const OUTAGE_BUDGET: Budget = {
  name: 'user',
  per: ['user'],
  limit: { tokens: 1_000 },
  window: 'total',
  onSinkError: 'allow',
  emergencyLimit: { tokens: 300 },
};

export function request(maxOutputTokens: number, user = 'ann'): CallRequest {
  const names = { provider: 'acme', model: 'small', identity: { user } };
  return { ...names, inputTokens: 0, maxOutputTokens };
}

export function used(output: number): Settlement {
  const none = { input: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, reasoning: 0 };
  return { outcome: 'known', usage: { ...none, output } };
}
