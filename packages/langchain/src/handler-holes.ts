import { asObject, listAt, objectAt } from '@hardcap/core/adapter';
import { isChatModel } from './chat-model.ts';
import { isEmbeddings } from './guarded-embeddings.ts';
import { modelGuardOf } from './model-guard.ts';

/** Where the framework keeps what it follows nested calls by; imports of it put it there. */
const TRACING: unique symbol = Symbol.for('ls:tracing_async_local_storage') as never;

/** What a handler would miss of a model, however it is attached. */
export function holesOfAny(model: object): string[] {
  if (isEmbeddings(model)) {
    return ['Embeddings have no callbacks. Guard them with withSpendBudget(embeddings, guard).'];
  }
  if (!isChatModel(model) || modelGuardOf(model) !== undefined) return [];
  const holes: string[] = [];
  const name = model.constructor.name;
  // From @langchain/core 1.2 on, where the method is there at all.
  if (typeof model._streamChatModelEvents === 'function') {
    holes.push(
      `${name}.streamEvents(input) without a version calls no handler. Use version v2, or guard the model.`,
    );
  }
  const kind = model._llmType();
  if (/mistral/i.test(kind)) {
    holes.push(`Streams of ${name} cannot be cut by a handler: it does not wait for one.`);
  }
  if (/^google|^vertex/i.test(kind)) {
    holes.push(`Streams of ${name} cannot be cut by a handler: its connection stays open.`);
  }
  return holes;
}

/** The same of a handler that is not registered globally. */
export function holesOf(model: object, handler: object): string[] {
  const holes = holesOfAny(model);
  if (!isChatModel(model) || modelGuardOf(model) !== undefined) return holes;
  const name = model.constructor.name;
  const given = asObject(model);
  if (listAt(given, 'callbacks').includes(handler)) return holes;
  const defaults = listAt(objectAt(model, 'defaultOptions'), 'callbacks');
  holes.push(
    defaults.includes(handler)
      ? `${name} has the handler by withConfig, and loses it in runs that have callbacks. Give it to the constructor.`
      : `${name} does not have the handler itself. Calls that are given callbacks of their own bypass that of their run. Give it to the constructor, or register it globally.`,
  );
  if ((globalThis as { readonly [TRACING]?: unknown })[TRACING] === undefined) {
    holes.push(
      "Nested calls without a config are not followed. Import '@langchain/core/context' once.",
    );
  }
  return holes;
}
