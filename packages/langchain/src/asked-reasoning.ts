import { asObject, type JsonObject, numberAt, objectAt, textAt } from '@hardcap/core/adapter';

/**
 * Whether what a model sends asks for reasoning (true) or turns it off (false); undefined where it
 * says nothing.
 */
export function askedReasoning(params: JsonObject): boolean | undefined {
  const further = objectAt(params, 'additionalModelRequestFields');
  const settings = [params, further, objectAt(params, 'generationConfig')].map(settingOf);
  return (
    settings.find((setting) => setting === true) ?? settings.find((setting) => setting === false)
  );
}

function settingOf(place: JsonObject | undefined): boolean | undefined {
  const thinking = objectAt(place, 'thinking') ?? objectAt(place, 'reasoning_config');
  const type = textAt(thinking, 'type');
  if (type !== undefined) return type !== 'disabled';
  const reasoning = asObject(place?.['reasoning']);
  const effort =
    textAt(place, 'reasoning_effort') ??
    textAt(place, 'reasoningEffort') ??
    textAt(reasoning, 'effort');
  if (effort !== undefined) return effort !== 'none';
  // OpenRouter's, which is on unless it says that it is not.
  if (reasoning !== undefined) return reasoning['enabled'] !== false;
  const budget =
    numberAt(objectAt(place, 'thinkingConfig'), 'thinkingBudget') ??
    numberAt(place, 'thinkingBudget');
  return budget === undefined ? undefined : budget !== 0;
}
