import { ConfigError } from './errors.ts';
import type { Identity } from './identity.ts';

/** The part of AsyncLocalStorage that is used. */
export interface AsyncStorage<Value> {
  run<T>(value: Value, fn: () => T): T;
  getStore(): Value | undefined;
}
export type AsyncStorageClass = new <Value>() => AsyncStorage<Value>;

/** AsyncLocalStorage where the runtime has it; reached without an import, which edge bundlers refuse. */
export function findAsyncStorage(): AsyncStorageClass | undefined {
  const runtime = globalThis as {
    AsyncLocalStorage?: AsyncStorageClass;
    process?: { getBuiltinModule?: (id: string) => { AsyncLocalStorage?: AsyncStorageClass } };
  };
  return (
    runtime.process?.getBuiltinModule?.('node:async_hooks')?.AsyncLocalStorage ??
    runtime.AsyncLocalStorage
  );
}

/** The identity of the asynchronous context. Inner contexts add to and override outer ones. */
export class AmbientIdentity {
  readonly #storage: AsyncStorage<Identity> | undefined;

  constructor() {
    const AsyncStorage = findAsyncStorage();
    this.#storage = AsyncStorage === undefined ? undefined : new AsyncStorage<Identity>();
  }

  get(): Identity | undefined {
    return this.#storage?.getStore();
  }

  /** @throws ConfigError where the runtime has no AsyncLocalStorage. */
  run<T>(identity: Identity, fn: () => T): T {
    if (this.#storage === undefined) {
      throw new ConfigError(
        'withIdentity needs AsyncLocalStorage, which this runtime does not have. ' +
          'Give the identity with the call, or to the adapter.',
      );
    }
    return this.#storage.run({ ...this.#storage.getStore(), ...identity }, fn);
  }
}
