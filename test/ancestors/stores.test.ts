import { SinkUnavailableError } from '@hardcap/core';
import { describe, expect, test } from 'vitest';
import { STORES } from './stores.ts';
import { denialOf, PATIENTLY, spend, startWorker } from './worker.ts';

const CONFIG = `
budgets:
  - { name: hourly, per: [team], limit: { tokens: 100 }, window: { fixed: 1h } }
`;
const CALL = { identity: { team: 'red' }, provider: 'acme', model: 'large', inputTokens: 40 };
const SMALL = { ...CALL, maxOutputTokens: 10 };

describe.each(STORES)('the store of a test: %s', (_, open) => {
  test('is shared by its workers, which have one clock', async () => {
    const store = open();
    const [one, other] = [startWorker(store, CONFIG), startWorker(store, CONFIG)];
    await spend(one.guard, SMALL, { input: 40, output: 10 });
    await spend(other.guard, SMALL, { input: 40, output: 10 });
    expect((await denialOf(one.guard, SMALL)).retryAfterMs).toBe(3_600_000);
    store.clock.moveTo('2026-11-30T13:00:00Z');
    expect(await other.guard.status(CALL.identity)).toMatchObject([{ committed: 0 }]);
  });

  test('answers nobody while it is away, and then as before', async () => {
    const store = open();
    const { guard } = startWorker(store, CONFIG);
    const hasty = startWorker(store, CONFIG, { timeoutMs: 300 });
    await spend(guard, SMALL, { input: 40, output: 10 });
    store.fail();
    await expect(hasty.guard.reserve(SMALL)).rejects.toThrow(SinkUnavailableError);
    store.recover();
    await expect
      .poll(() => guard.status(CALL.identity).catch(() => []), PATIENTLY)
      .toMatchObject([{ committed: 50, held: 0 }]);
  });
});
