import {
  BudgetExceededError,
  type CallRequest,
  createSpendGuard,
  type Denial,
  type GuardEvent,
  type SpendCall,
  type SpendGuard,
  type SpendGuardOptions,
  type TokenUsage,
} from '@hardcap/core';
import { type GuardConfig, loadConfig } from '@hardcap/core/config';
import { createPriceBook } from '@hardcap/prices';
import { expect, onTestFinished } from 'vitest';
import type { TestStore } from './stores.ts';

/** A process that has read a configuration, on a store that it may share with others. */
export interface Worker {
  readonly guard: SpendGuard;
  readonly config: GuardConfig;
  readonly events: readonly GuardEvent[];
}

/** Starts one as a program would: from the text of a file, and from the environment. */
export function startWorker(
  store: TestStore,
  text: string,
  options: Partial<SpendGuardOptions> & { environment?: Record<string, string> } = {},
): Worker {
  const { environment = {}, onEvent, ...rest } = options;
  const config = loadConfig(text, { environment, file: 'hardcap.yaml' });
  const events: GuardEvent[] = [];
  const guard = createSpendGuard({
    timeoutMs: 5_000,
    ...config,
    prices: createPriceBook(config.prices),
    sink: store.connect(),
    now: () => store.clock.now,
    onEvent: (event) => {
      events.push(event);
      onEvent?.(event);
    },
    ...rest,
  });
  onTestFinished(() => guard.close());
  return { guard, config, events };
}

/** Usage with only what a test names. */
export function usageOf(tokens: Partial<TokenUsage>): TokenUsage {
  const none = { input: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 0 };
  return { ...none, reasoning: 0, ...tokens };
}

/** A call that must be admitted. */
export async function admit(guard: SpendGuard, request: CallRequest): Promise<SpendCall> {
  const reservation = await guard.reserve(request);
  if (!reservation.admitted) throw new BudgetExceededError(reservation.denial);
  return reservation.call;
}

/** One call that is admitted, runs and reports its usage. */
export async function spend(
  guard: SpendGuard,
  request: CallRequest,
  tokens: Partial<TokenUsage>,
): Promise<void> {
  const call = await admit(guard, request);
  const { status } = await call.settle({ outcome: 'known', usage: usageOf(tokens) });
  expect(status).toBe('settled');
}

/** The denial of a call that must be refused. */
export async function denialOf(guard: SpendGuard, request: CallRequest): Promise<Denial> {
  const reservation = await guard.reserve(request);
  if (reservation.admitted) throw new Error('The call was admitted.');
  return reservation.denial;
}

/** For what comes by itself: no test may depend on how fast a machine is. */
export const PATIENTLY = { timeout: 8_000 };
