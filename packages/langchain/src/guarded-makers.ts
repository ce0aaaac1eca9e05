import { BudgetExceededError } from '@hardcap/core';
import { asObject } from '@hardcap/core/adapter';
import { type ChatModel, isChatModel } from './chat-model.ts';
import { type Method, methodOf } from './method-of.ts';

/** The methods that make another runnable of a model. */
const MAKERS = ['bind', 'bindTools', 'withConfig', 'withStructuredOutput'] as const;

/** The methods of a guarded model that make something of it, which is guarded too. */
export function guardedMakers(
  model: ChatModel,
  guarded: ChatModel,
  guardIt: (model: ChatModel) => ChatModel,
): Record<string, Method> {
  const makers: Record<string, Method> = steadyRetry(model, guarded);
  for (const name of MAKERS) {
    const make = methodOf(model, name);
    if (make === undefined) continue;
    makers[name] = (...given) => withGuardedModels(make.apply(guarded, given), guardIt);
  }
  return makers;
}

/** Where runnables keep the runnables they are made of. */
const PARTS = ['bound', 'first', 'last'] as const;

/** Some classes make a new model of their settings: guards it, and those in what was just made. */
function withGuardedModels(made: unknown, guardIt: (model: ChatModel) => ChatModel): unknown {
  if (isChatModel(made)) return guardIt(made);
  const runnable = made as Record<string, unknown> | null;
  if (typeof runnable !== 'object' || runnable === null) return made;
  for (const part of PARTS) {
    if (isChatModel(runnable[part]) || asObject(runnable[part])?.['bound'] !== undefined) {
      runnable[part] = withGuardedModels(runnable[part], guardIt);
    }
  }
  return Object.defineProperties(
    runnable,
    Object.getOwnPropertyDescriptors(steadyRetry(runnable, runnable)),
  );
}

/** `withRetry` of a runnable, not trying again what a budget has refused: the framework would. */
function steadyRetry(runnable: object, self: object): Record<string, Method> {
  const make = methodOf(runnable, 'withRetry');
  if (make === undefined) return {};
  return {
    withRetry: (fields) => {
      const given = asObject(fields);
      const onFailedAttempt = (error: unknown, input: unknown): unknown => {
        if (BudgetExceededError.find(error) !== undefined) throw error;
        const own = given?.['onFailedAttempt'];
        return typeof own === 'function' ? own(error, input) : undefined;
      };
      return make.call(self, { ...given, onFailedAttempt });
    },
  };
}
