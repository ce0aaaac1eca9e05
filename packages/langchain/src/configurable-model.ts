import { asObject } from '@hardcap/core/adapter';
import { type ChatModel, derived } from './chat-model.ts';

/**
 * What `initChatModel` makes: it finds the model of a call when it is made, by the config of the run,
 * and then does to it what was done to itself.
 */
interface ConfigurableModel extends ChatModel {
  _getModelInstance(config?: unknown): Promise<object>;
  readonly _queuedMethodOperations: Readonly<Record<string, readonly unknown[]>>;
}

export function isConfigurableModel(model: ChatModel): model is ConfigurableModel {
  const candidate = model as Partial<ConfigurableModel>;
  return (
    typeof candidate._getModelInstance === 'function' &&
    asObject(candidate._queuedMethodOperations) !== undefined
  );
}

/** Members of a configurable model that guard each model it finds, before anything is done to it. */
export function guardedInstances(
  model: ConfigurableModel,
  guardIt: (found: object) => object,
): object {
  const plain = derived(model, { _queuedMethodOperations: {}, _modelInstanceCache: new Map() });
  // The framework expects the same instance for the same config.
  const instances = new WeakMap<object, Promise<object>>();
  return {
    _getModelInstance: async (config?: unknown) => {
      const found = await plain._getModelInstance(config);
      const known = instances.get(found) ?? prepared(guardIt(found), model._queuedMethodOperations);
      instances.set(found, known);
      return known;
    },
  };
}

async function prepared(
  guarded: object,
  operations: ConfigurableModel['_queuedMethodOperations'],
): Promise<object> {
  let instance = guarded;
  for (const [name, given] of Object.entries(operations)) {
    const method = (instance as Readonly<Record<string, unknown>>)[name];
    if (typeof method === 'function') instance = (await method.apply(instance, given)) as object;
  }
  return instance;
}
