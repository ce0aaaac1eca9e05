import { asObject, type JsonObject, objectAt, textAt } from '@hardcap/core/adapter';
import type { ModelId } from './middleware.ts';
import type { ModelCall } from './model-call.ts';
import { optionNames } from './option-names.ts';

/**
 * Whether a call asks for reasoning (true) or turns it off (false); undefined where it says nothing.
 * Any option may ask. Only one that the package of the model reads may turn it off, and `reasoning:
 * 'none'` of version 7 may not: packages of earlier versions never see it.
 */
export function askedReasoning(call: ModelCall, model: ModelId): boolean | undefined {
  const { reasoning = 'none', providerOptions = {} } = call;
  const asked = Object.values(providerOptions).some((own) => settingOf(asObject(own)) === true);
  if (asked || !/^(?:none|provider-default)$/.test(reasoning)) return true;
  const isOff = [...optionNames(call, model), ...OTHER_NAMES].some(
    (name) => settingOf(objectAt(providerOptions, name)) === false,
  );
  return isOff ? false : undefined;
}

// Which packages share; the settings in them are so unlike that none is taken for another's.
const OTHER_NAMES = [
  'anthropic',
  'bedrock',
  'amazonBedrock',
  'google',
  'vertex',
  'googleVertex',
] as const;

function settingOf(options: JsonObject | undefined): boolean | undefined {
  const type = textAt(
    objectAt(options, 'thinking') ?? objectAt(options, 'reasoningConfig'),
    'type',
  );
  if (type !== undefined) return type !== 'disabled';
  const effort =
    textAt(options, 'reasoningEffort') ??
    textAt(options, 'reasoning_effort') ??
    textAt(objectAt(options, 'reasoning'), 'effort');
  if (effort !== undefined) return effort !== 'none';
  // OpenRouter's, which is on unless it says that it is not.
  const reasoning = objectAt(options, 'reasoning');
  if (reasoning !== undefined) return reasoning['enabled'] !== false;
  return objectAt(options, 'thinkingConfig')?.['thinkingBudget'] === 0 ? false : undefined;
}
