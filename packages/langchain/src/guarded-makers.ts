import { BudgetExceededError } from '@hardcap/core';
import { asObject, listAt } from '@hardcap/core/adapter';
import { type ChatModel, isChatModel } from './chat-model.ts';
import { type Method, methodOf } from './method-of.ts';

/** The methods that make another runnable of a model. */
const MAKERS = ['bind', 'bindTools', 'withConfig', 'withStructuredOutput'] as const;

type GuardIt = (model: ChatModel) => ChatModel;

/** The methods of a guarded model that make something of it, which is guarded too. */
export function guardedMakers(
  model: ChatModel,
  guarded: ChatModel,
  guardIt: GuardIt,
): Record<string, Method> {
  const makers = steadyRetry(model, guarded, guardIt);
  for (const name of MAKERS) {
    const make = methodOf(model, name);
    if (make === undefined) continue;
    makers[name] = (...given) => withGuardedModels(make.apply(guarded, given), guardIt);
  }
  return makers;
}

/** Some classes make a new model of their settings: guards it, and those in what was just made. */
function withGuardedModels(made: unknown, guardIt: GuardIt): unknown {
  if (isChatModel(made)) return guardIt(made);
  guardParts(made, guardIt);
  if (typeof made !== 'object' || made === null) return made;
  const { withRetry } = steadyRetry(made, made, guardIt);
  if (withRetry === undefined) return made;
  return Object.defineProperty(made, 'withRetry', { value: withRetry, configurable: true });
}

/** Where runnables keep the runnables they are made of: bindings, sequences and maps. */
const PARTS = ['bound', 'first', 'last'] as const;

function guardParts(runnable: unknown, guardIt: GuardIt): void {
  const parts = asObject(runnable) as Record<string, unknown> | undefined;
  if (parts === undefined) return;
  for (const part of PARTS) {
    const inner = parts[part];
    if (isChatModel(inner)) parts[part] = guardIt(inner);
    else guardParts(inner, guardIt);
  }
  for (const step of listAt(parts, 'middle')) guardParts(step, guardIt);
  const steps = asObject(parts['steps']) as Record<string, unknown> | undefined;
  for (const [name, step] of Object.entries(steps ?? {})) {
    if (steps !== undefined && isChatModel(step)) steps[name] = guardIt(step);
    else guardParts(step, guardIt);
  }
}

/** `withRetry` of a runnable, not trying again what a budget has refused: the framework would. */
function steadyRetry(runnable: object, self: object, guardIt: GuardIt): Record<string, Method> {
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
      const retrying = make.call(self, { ...given, onFailedAttempt });
      guardParts(retrying, guardIt);
      return retrying;
    },
  };
}
