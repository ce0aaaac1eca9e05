import type { SpendGuard } from '@hardcap/core';
import { asObject } from '@hardcap/core/adapter';
import { AttemptOpener } from './attempt-opener.ts';
import { carrying, type HardcapRunOptions } from './call-channel.ts';
import {
  type CallOptions,
  type ChatModel,
  derived,
  hasOwn,
  isChatModel,
  type RunManager,
} from './chat-model.ts';
import { guardedInstances, isConfigurableModel } from './configurable-model.ts';
import {
  type GuardedCall,
  guardedChunks,
  guardedEvents,
  guardedGenerate,
} from './guarded-calls.ts';
import { markRun } from './guarded-run.ts';
import type { SpendBudgetOptions } from './spend-budget-options.ts';

/** How a model came to be guarded. */
export interface ModelGuard {
  readonly model: ChatModel;
  readonly guard: SpendGuard;
  readonly options: SpendBudgetOptions;
}

// Registered, so that another copy of this package sees it too.
const GUARDED: unique symbol = Symbol.for('hardcap.langchain.guarded') as never;

/** Undefined for a model that is not guarded. */
export function modelGuardOf(model: object): ModelGuard | undefined {
  return (model as { readonly [GUARDED]?: () => ModelGuard })[GUARDED]?.();
}

/**
 * The model, guarded: an instance of the same class that reserves, meters and settles wherever it
 * reaches its provider. What is made of it (with tools, with settings) is guarded too.
 */
export function guardedModel(
  model: ChatModel,
  guard: SpendGuard,
  options: SpendBudgetOptions,
  channel?: HardcapRunOptions,
): ChatModel {
  for (let held = modelGuardOf(model); held !== undefined; held = modelGuardOf(held.model)) {
    if (held.guard === guard) return model;
  }
  const attempts = new AttemptOpener(guard, options, channel);
  const own = {
    // A function: a model that is logged shows its fields, and options may have secrets.
    [GUARDED]: (): ModelGuard => ({ model, guard, options }),
    toJSON: () => markRun(model.toJSON?.(), guard),
  };
  const guardIt = (made: ChatModel) => guardedModel(made, guard, options, channel);
  const ways = isConfigurableModel(model)
    ? guardedInstances(model, (found) => (isChatModel(found) ? guardIt(found) : found))
    : guardedWays(model, attempts);
  const guarded = derived(model, own);
  Object.assign(
    guarded,
    boundMembers(model),
    ways,
    channelled(model, guarded),
    guardedMakers(model, guarded, guardIt),
  );
  return guarded;
}

/** The three ways to a provider: nothing else of a model sends anything. */
function guardedWays(model: ChatModel, attempts: AttemptOpener): object {
  const call = (messages: readonly unknown[], given: CallOptions = {}, runManager?: RunManager) =>
    ({ attempts, model, messages, options: given, runManager }) satisfies GuardedCall;
  type Given = Parameters<typeof call>;
  return {
    _generate: (...given: Given) => guardedGenerate(call(...given)),
    // The framework looks at these to see whether the model can stream at all.
    ...(hasOwn(model, '_streamResponseChunks') && {
      _streamResponseChunks: (...given: Given) => guardedChunks(call(...given)),
    }),
    ...(hasOwn(model, '_streamChatModelEvents') && {
      _streamChatModelEvents: (...given: Given) => guardedEvents(call(...given)),
    }),
  };
}

/** What only says something of a model; bound to it, since it may read private members. */
const SAYING = ['_llmType', '_identifyingParams', 'getLsParams', 'invocationParams'] as const;

function boundMembers(model: ChatModel): Record<string, Method> {
  const bound: Record<string, Method> = {};
  for (const name of SAYING) {
    const method = methodOf(model, name);
    if (method !== undefined) bound[name] = method.bind(model);
  }
  return bound;
}

type Method = (...given: readonly unknown[]) => unknown;

function methodOf(model: object, name: string): Method | undefined {
  const method = (model as Readonly<Record<string, unknown>>)[name];
  return typeof method === 'function' ? (method as Method) : undefined;
}

const SEPARATE = '_separateRunnableConfigFromCallOptionsCompat';

/** Brings what the metadata of a run says along to where it is called. */
function channelled(model: ChatModel, guarded: ChatModel): Record<string, Method> {
  const separate = methodOf(model, SEPARATE);
  if (separate === undefined) return {};
  return {
    [SEPARATE]: (...given) => {
      const [config, callOptions] = separate.apply(guarded, given as unknown[]) as [
        unknown,
        CallOptions,
      ];
      return [config, carrying(callOptions, asObject(config)?.['metadata'])];
    },
  };
}

/** The methods that make another runnable of a model. */
const MAKERS = ['bind', 'bindTools', 'withConfig', 'withStructuredOutput'] as const;

function guardedMakers(
  model: ChatModel,
  guarded: ChatModel,
  guardIt: (model: ChatModel) => ChatModel,
): Record<string, Method> {
  const makers: Record<string, Method> = {};
  for (const name of MAKERS) {
    const make = methodOf(model, name);
    if (make === undefined) continue;
    makers[name] = (...given) =>
      withGuardedModels(make.apply(guarded, given as unknown[]), guardIt);
  }
  return makers;
}

/** Where runnables keep the runnables they are made of. */
const PARTS = ['bound', 'first', 'last'] as const;

/** Some classes make a new model of their settings: guards it, and those in what was just made. */
function withGuardedModels(made: unknown, guardIt: (model: ChatModel) => ChatModel): unknown {
  if (isChatModel(made)) return modelGuardOf(made) === undefined ? guardIt(made) : made;
  const runnable = made as Record<string, unknown> | null;
  if (typeof runnable !== 'object' || runnable === null) return made;
  for (const part of PARTS) {
    if (isChatModel(runnable[part]) || asObject(runnable[part])?.['bound'] !== undefined) {
      runnable[part] = withGuardedModels(runnable[part], guardIt);
    }
  }
  return runnable;
}
