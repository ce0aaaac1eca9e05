import { setImmediate as turn } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { ConfigError, MemoryUsageSink, type UsageSink } from '../src/index.ts';
import { benchOf, callOf, usdBudget } from './support/guard.ts';

const limits = { nobodys: { resolve: () => undefined } };

/** Rejections that nobody waits for end a process. */
function unhandled(): unknown[] {
  const rejections: unknown[] = [];
  const note = (reason: unknown): void => {
    rejections.push(reason);
  };
  const before = process.listeners('unhandledRejection');
  process.removeAllListeners('unhandledRejection').on('unhandledRejection', note);
  onTestFinished(() => {
    process.off('unhandledRejection', note);
    for (const listener of before) process.on('unhandledRejection', listener);
  });
  return rejections;
}

test('limits that cannot be are told to each call, and end no process whose sink is slow to open', async () => {
  const rejections = unhandled();
  let open = (): void => {};
  const opening = new Promise<void>((done) => {
    open = done;
  });
  const sink = new Proxy<UsageSink>(new MemoryUsageSink(), {
    get: (target, name: keyof UsageSink) => (name === 'opening' ? opening : target[name]),
  });
  const { guard } = benchOf([usdBudget('1')], { sink, limits });
  await vi.dynamicImportSettled();
  await turn();
  expect(rejections).toEqual([]);
  open();
  await expect(guard.reserve(callOf(1))).rejects.toThrow(ConfigError);
  await expect(guard.reserve(callOf(1))).rejects.toThrow('limits.nobodys: there is no such budget');
});

test('nor do those of a configuration that a guard does not take', async () => {
  const rejections = unhandled();
  const { guard } = benchOf([usdBudget('1')]);
  const tokens = { ...usdBudget('1'), limit: { tokens: 5 } };
  await expect(guard.reconfigure({ budgets: [tokens], limits })).rejects.toThrow('counts usd');
  await vi.dynamicImportSettled();
  await turn();
  expect(rejections).toEqual([]);
});
