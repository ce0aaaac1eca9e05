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
