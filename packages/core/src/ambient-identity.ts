import { type AsyncStorage, findAsyncStorage } from './async-storage.ts';
import { ConfigError } from './errors.ts';
import type { Identity } from './identity.ts';

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
