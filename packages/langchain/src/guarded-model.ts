import type { SpendGuard } from '@hardcap/core';
import { asObject, type JsonObject } from '@hardcap/core/adapter';
import { AttemptOpener } from './attempt-opener.ts';
import { carrying, type HardcapRunOptions } from './call-channel.ts';
import {
  type CallOptions,
  type ChatModel,
  delegatesOf,
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
import { guardedMakers } from './guarded-makers.ts';
import { markRun } from './guarded-run.ts';
import { type Method, methodOf } from './method-of.ts';
import { GUARDED, type ModelGuard, modelGuardsOf } from './model-guard.ts';
import type { SpendBudgetOptions } from './spend-budget-options.ts';

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
  if (modelGuardsOf(model).some((held) => held.guard === guard)) return model;
  const attempts = new AttemptOpener(guard, options, channel);
  const guardIt = (made: ChatModel) => guardedModel(made, guard, options, channel);
  const guarded = derived(model, {
    // A function: a model that is logged shows its fields, and options may have secrets.
    [GUARDED]: (): ModelGuard => ({ model, guard, options, attempts }),
    toJSON: () => markRun(model.toJSON?.(), guard),
  });
  const bareOf = (self: ChatModel) => bareModel(self, guarded, model, members);
  const ways = isConfigurableModel(model)
    ? guardedInstances(model, (found) => (isChatModel(found) ? guardIt(found) : found))
    : guardedWays(model, bareOf, attempts);
  const own = {
    ...Object.fromEntries(delegatesOf(model).map(([name, found]) => [name, guardIt(found)])),
    ...sayingMembers(model, bareOf),
    ...ways,
    ...channelled(model, guarded),
    ...guardedMakers(model, guarded, guardIt),
  };
  Object.assign(guarded, own);
  const members: ReadonlySet<PropertyKey> = new Set(Reflect.ownKeys(guarded));
  return guarded;
}

/**
 * The model without its guard, but with the settings that were given to it since, or to what was
 * derived from it.
 *
 * @param members of the guarded model that are the guard's.
 */
function bareModel(
  self: object | undefined,
  guarded: object,
  model: ChatModel,
  members: ReadonlySet<PropertyKey>,
): ChatModel {
  const settings: PropertyDescriptorMap = {};
  let holder: object | null = self ?? null;
  while (holder !== null && holder !== model) {
    for (const [key, member] of Object.entries(Object.getOwnPropertyDescriptors(holder))) {
      // The framework's own notes, such as an encoding, are no settings.
      if (key.startsWith('_') || (holder === guarded && members.has(key))) continue;
      settings[key] ??= member;
    }
    holder = Object.getPrototypeOf(holder) as object | null;
  }
  if (holder === null || Object.keys(settings).length === 0) return model;
  return Object.defineProperties(derived(model, {}), settings);
}

type BareOf = (self: ChatModel) => ChatModel;

/** The three ways to a provider: nothing else of a model sends anything. */
function guardedWays(model: ChatModel, bareOf: BareOf, attempts: AttemptOpener): object {
  const call = (
    self: ChatModel,
    messages: readonly unknown[],
    given: CallOptions = {},
    runManager?: RunManager,
  ) => {
    const bare = bareOf(self);
    return { attempts, model: bare, messages, options: given, runManager } satisfies GuardedCall;
  };
  type Given = [readonly unknown[], CallOptions?, RunManager?];
  return {
    _generate(this: ChatModel, ...given: Given) {
      return guardedGenerate(call(this, ...given));
    },
    // The framework looks at these to see whether the model can stream at all.
    ...(hasOwn(model, '_streamResponseChunks') && {
      _streamResponseChunks(this: ChatModel, ...given: Given) {
        return guardedChunks(call(this, ...given));
      },
    }),
    ...(hasOwn(model, '_streamChatModelEvents') && {
      _streamChatModelEvents(this: ChatModel, ...given: Given) {
        return guardedEvents(call(this, ...given));
      },
    }),
  };
}

/** What only says something of a model; asked without the guard, since it may read private members. */
const SAYING = ['_llmType', '_identifyingParams', 'getLsParams', 'invocationParams'] as const;

function sayingMembers(model: ChatModel, bareOf: BareOf): Record<string, Method> {
  const members: Record<string, Method> = {};
  for (const name of SAYING) {
    const method = methodOf(model, name);
    if (method === undefined) continue;
    members[name] = function (this: unknown, ...given) {
      return method.apply(bareOf(this as ChatModel), given);
    };
  }
  return members;
}

const SEPARATE = '_separateRunnableConfigFromCallOptionsCompat';

/** Brings what the metadata of a run says along to where it is called. */
function channelled(model: ChatModel, guarded: ChatModel): Record<string, Method> {
  const separate = methodOf(model, SEPARATE);
  if (separate === undefined) return {};
  const separated = (options: unknown) =>
    separate.call(guarded, options) as [config: unknown, CallOptions];
  return {
    [SEPARATE]: (options) => {
      const [config, callOptions] = separated(options);
      // Nothing is given here, so that it is the run around this one that is found.
      const [around] = separated({});
      const [outer, inner] = [around, config].map((each) => asObject(each)?.['metadata']);
      return [config, carrying(callOptions, outer, inner)];
    },
  };
}

/** The options of a call as a guarded model gets them, with what its run says to hardcap. */
export function channelledOptions(guarded: ChatModel, options: JsonObject): CallOptions {
  const separate = methodOf(guarded, SEPARATE);
  if (separate === undefined) return options;
  const [, callOptions] = separate.call(guarded, options) as [unknown, CallOptions];
  return callOptions;
}
