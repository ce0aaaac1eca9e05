import { ConfigError } from '@hardcap/core';
import { type AsyncStorage, findAsyncStorage } from '@hardcap/core/adapter';
import type { Attempt } from './attempt.ts';

let storage: AsyncStorage<Attempt> | undefined;

/**
 * From now on, lets what is called within an attempt find it.
 *
 * @throws ConfigError where the runtime has no AsyncLocalStorage.
 */
export function followAttempts(): void {
  if (storage !== undefined) return;
  const Storage = findAsyncStorage();
  if (Storage === undefined) {
    throw new ConfigError(
      'spendBudgetFetch needs AsyncLocalStorage, which this runtime does not have. ' +
        "Turn the retries of the provider's client off instead.",
    );
  }
  storage = new Storage();
}

/** Runs `fn` as a part of an attempt. */
export function inAttempt<T>(attempt: Attempt, fn: () => T): T {
  return storage === undefined ? fn() : storage.run(attempt, fn);
}

/** The attempt that this is a part of; undefined before `followAttempts`. */
export function currentAttempt(): Attempt | undefined {
  return storage?.getStore();
}
