import { readFileSync } from 'node:fs';
import { ConfigError, SinkUnavailableError, toHttpResponse, usd } from '@hardcap/core';
import { loadConfig } from '@hardcap/core/config';
import { alertsToShow, dismissAlerts } from '@hardcap/core/dismissal';
import { describe, expect, test } from 'vitest';
import { STORES, type TestStore } from './stores.ts';
import { admit, denialOf, PATIENTLY, spend, startWorker, usageOf, type Worker } from './worker.ts';

const CONFIG = readFileSync(new URL('three-tiers.yaml', import.meta.url), 'utf8');
const BUDGETS = loadConfig(CONFIG, { environment: {} }).budgets;
const NAMES = BUDGETS.map(({ name }) => name);

const ann = { token: 'sk-of-ann', tenant: 'acme' };
const CALL = { identity: ann, provider: 'acme', model: 'large', inputTokens: 100 };
const RESERVED = usd('0.02');

/** Usage that costs so many cents with `acme/large`. */
const cents = (count: number) => ({ input: count * 10_000 });

describe.each(STORES)('three tiers: %s', (_, open) => {
  function start(environment: Record<string, string> = {}): Worker & { store: TestStore } {
    const store = open();
    return { store, ...startWorker(store, CONFIG, { environment }) };
  }

  test('a call is bound by its token, its tenant and the gateway: by day, by month and for ever', async () => {
    const { guard } = start();
    await spend(guard, CALL, cents(3));
    const accounts = await guard.status(ann);
    expect(accounts.map(({ budget }) => budget)).toEqual(NAMES);
    expect(accounts.map(({ committed }) => committed)).toEqual(NAMES.map(() => usd('0.03')));
  });

  test.each(NAMES)('each of them refuses what it cannot carry: %s', async (budget) => {
    const { guard } = start();
    await guard.setLimit({ budget, identity: ann }, { limit: { usd: '0.03' } });
    await spend(guard, CALL, cents(2));
    const { refusals } = await denialOf(guard, CALL);
    expect(refusals).toMatchObject([{ budget, kind: 'too-large', committed: usd('0.02') }]);
  });

  test('a day and a month begin anew, and a total never does', async () => {
    const { store, guard } = start();
    const spent = async () => (await guard.status(ann)).map(({ committed }) => committed);
    store.clock.moveTo('2026-12-30T12:00:00Z');
    await spend(guard, CALL, cents(1));
    const cent = usd('0.01');
    store.clock.moveTo('2026-12-31T00:00:00Z');
    expect(await spent()).toEqual([0, cent, cent, 0, cent, cent, 0, cent, cent]);
    store.clock.moveTo('2027-01-01T00:00:00Z');
    expect(await spent()).toEqual([0, 0, cent, 0, 0, cent, 0, 0, cent]);
  });

  test('a call holds a small amount, whatever it may cost', async () => {
    const { guard } = start();
    const held = async () => (await guard.status(ann)).map((account) => account.held);
    for (const inputTokens of [1, 1_000_000]) {
      const call = await admit(guard, { ...CALL, inputTokens, maxOutputTokens: inputTokens });
      expect(await held()).toEqual(NAMES.map(() => RESERVED));
      await call.release();
    }
    const other = start({ RESERVATION_USD: '0.05' });
    await admit(other.guard, CALL);
    expect(await other.guard.status(ann)).toMatchObject(NAMES.map(() => ({ held: usd('0.05') })));
  });

  test.each(['two cents', '-0.02', '0,02', 'NaN', ' '])(
    'a setting of it that is not valid falls back to the default: %j',
    async (setting) => {
      const environment = { RESERVATION_USD: setting };
      expect(() => loadConfig(CONFIG, { environment })).toThrow(ConfigError);
      const { guard } = start(validOf(environment));
      await admit(guard, CALL);
      expect(await guard.status(ann)).toMatchObject(NAMES.map(() => ({ held: RESERVED })));
    },
  );

  test('on a fault of the store the gate of the token is open, and that of the tenant is closed', async () => {
    const { store, guard } = start();
    const hasty = startWorker(store, CONFIG, { timeoutMs: 300 });
    const ofToken = { ...CALL, identity: { token: ann.token } };
    await spend(guard, ofToken, cents(1));
    store.fail();
    const call = await admit(hasty.guard, ofToken);
    const told = hasty.events.map(({ type }) => type);
    expect(told).toEqual(['sink-unavailable', 'admitted-without-sink', 'reserved']);
    const refused = await hasty.guard.reserve(CALL).catch((error: unknown) => error);
    expect(SinkUnavailableError.isInstance(refused)).toBe(true);
    expect(toHttpResponse(refused).status).toBe(503);
    // What went through the open gate is charged once the store is back.
    store.recover();
    await call.settle({ outcome: 'known', usage: usageOf(cents(4)) });
    await expect
      .poll(() => guard.status(ann).catch(() => []), PATIENTLY)
      .toMatchObject([
        { budget: 'token-daily', committed: usd('0.05'), held: 0 },
        ...Array.from({ length: 8 }, () => ({ held: 0 })),
      ]);
  });

  test('a model without a price is routed, and is not counted, where that is asked for', async () => {
    const unpriced = { ...CALL, model: 'unheard-of' };
    const { guard } = start();
    await spend(guard, unpriced, cents(900));
    expect(await guard.status(ann)).toMatchObject(NAMES.map(() => ({ committed: 0, held: 0 })));
    for await (const entry of guard.ledger()) {
      expect(entry).toMatchObject({ model: 'unheard-of', usage: cents(900), costNanoUsd: null });
    }

    const strict = startWorker(open(), CONFIG.replace('unknownModel: uncounted', ''));
    await expect(strict.guard.reserve(unpriced)).rejects.toMatchObject({ code: 'MODEL_UNPRICED' });
  });

  test('each token knows what it has used, and what is left', async () => {
    const { guard } = start();
    await spend(guard, CALL, cents(30));
    await admit(guard, CALL);
    await spend(guard, { ...CALL, identity: { ...ann, token: 'sk-of-bob' } }, cents(7));
    const [daily, monthly, total] = await guard.status({ token: ann.token });
    expect(daily).toMatchObject({ committed: usd('0.30'), remaining: usd('0.68') });
    expect(monthly).toMatchObject({ committed: usd('0.30'), remaining: usd('9.68') });
    expect(total).toMatchObject({ committed: usd('0.30'), remaining: usd('49.68') });
  });

  describe('alerts', () => {
    const mine = { identity: { token: ann.token }, per: ['token'] };
    const told = async (guard: Worker['guard'], filter: Parameters<typeof guard.alerts>[0]) =>
      (await guard.alerts(filter)).map(({ budget, kind }) => `${budget} ${kind}`);

    test.each([
      [79, []],
      [80, ['token-daily approaching']],
      [98, ['token-daily approaching']],
      [100, ['token-daily reached']],
      [101, ['token-daily exceeded']],
    ])(
      'go by the comparison of the gate: after %d of 100 cents they are %j',
      async (spent, alerts) => {
        const { guard } = start();
        await spend(guard, CALL, cents(spent));
        expect(await told(guard, mine)).toEqual(alerts);
        const { admitted } = await guard.reserve(CALL);
        expect(admitted).toBe(spent < 100);
      },
    );

    test('are shown to those who own the accounts', async () => {
      const { guard } = start();
      await spend(guard, CALL, cents(100));
      await spend(guard, { ...CALL, identity: { ...ann, token: 'sk-of-bob' } }, cents(90));
      const gateway = { budget: 'gateway-daily', identity: {} };
      await guard.setLimit(gateway, { limit: { usd: '2.00' } });
      expect(await told(guard, mine)).toEqual(['token-daily reached']);
      const bobs = { identity: { token: 'sk-of-bob' }, per: ['token'] };
      expect(await told(guard, bobs)).toEqual(['token-daily approaching']);
      const tenants = { identity: { tenant: 'acme' }, per: ['tenant'] };
      expect(await told(guard, tenants)).toEqual(['tenant-daily approaching']);
      expect(await told(guard, { identity: { tenant: 'other' }, per: ['tenant'] })).toEqual([]);
      // The operator, who is nobody's tenant.
      expect(await told(guard, {})).toEqual(['gateway-daily approaching']);
      expect(JSON.stringify(await guard.alerts(mine))).not.toContain(ann.token);
    });

    test('that were dismissed are armed again when there are others', async () => {
      const { guard, store } = start();
      await spend(guard, CALL, cents(80));
      let dismissal: string | null = dismissAlerts(await guard.alerts(mine), store.clock.now);
      const shown = async () => {
        const { alerts, ...kept } = alertsToShow(
          await guard.alerts(mine),
          dismissal,
          store.clock.now,
        );
        dismissal = kept.dismissal;
        return alerts.map(({ budget, kind }) => `${budget} ${kind}`);
      };
      expect(await shown()).toEqual([]);
      await spend(guard, CALL, cents(5));
      expect(await shown()).toEqual([]);
      await spend(guard, CALL, cents(15));
      expect(await shown()).toEqual(['token-daily reached']);

      dismissal = dismissAlerts(await guard.alerts(mine), store.clock.now);
      expect(await shown()).toEqual([]);
      store.clock.moveTo('2026-12-01T00:00:00Z');
      await spend(guard, CALL, cents(100));
      expect(await shown()).toEqual(['token-daily reached']);
    });

    test('that say blocked cannot be dismissed', async () => {
      const { guard, store } = start();
      await spend(guard, CALL, cents(100));
      await guard.block({ budget: 'token-monthly', identity: ann });
      const alerts = await guard.alerts(mine);
      const dismissal = dismissAlerts(alerts, store.clock.now);
      const shown = alertsToShow(alerts, dismissal, store.clock.now).alerts;
      expect(shown.map(({ budget, kind }) => `${budget} ${kind}`)).toEqual([
        'token-monthly blocked',
      ]);
    });

    test('that say throttled count the day, of all workers together', async () => {
      const { guard, store } = start();
      const other = startWorker(store, CONFIG).guard;
      await guard.setLimit({ budget: 'token-total', identity: ann }, { limit: { usd: '0.01' } });
      const throttled = () => guard.alerts({ ...mine, kinds: ['throttled'] });
      for (const worker of [guard, other, other]) await denialOf(worker, CALL);
      expect(await throttled()).toMatchObject([{ budget: 'token-total', denials: 3 }]);
      store.clock.moveTo('2026-11-30T23:59:59Z');
      await denialOf(other, CALL);
      expect(await throttled()).toMatchObject([{ budget: 'token-total', denials: 4 }]);
      store.clock.moveTo('2026-12-01T00:00:00Z');
      expect(await throttled()).toEqual([]);
      await denialOf(guard, CALL);
      expect(await throttled()).toMatchObject([{ budget: 'token-total', denials: 1 }]);
    });
  });
});

/** The environment, or none of it where the configuration does not take what is set. */
function validOf(environment: Record<string, string>): Record<string, string> {
  try {
    loadConfig(CONFIG, { environment });
    return environment;
  } catch (error) {
    if (!ConfigError.isInstance(error)) throw error;
    return {};
  }
}
