import { asObject, type JsonObject, listAt, objectAt, textAt } from '@hardcap/core/adapter';
import type { InputParts } from '@hardcap/core/input-bound';
import { messageParts } from './message-parts.ts';

/** Everything that a call sends, in the terms of `inputBound`. */
export function callInput(messages: readonly unknown[], params: JsonObject): InputParts {
  const { texts, payloads, media } = messageParts(messages);
  const tools = toolsOf(params);
  const formats = FORMAT_FIELDS.map((key) => params[key]).filter((format) => format != null);
  return {
    texts,
    messages: messages.length,
    toolPayloads: [...payloads, ...furtherParams(params)],
    tools: tools.map(withoutMarks),
    ...(formats.length === 0 ? {} : { responseFormat: formats }),
    media,
    serverState:
      tools.some(runsAtProvider) ||
      STATE_FIELDS.some((key) => isGiven(params[key])) ||
      searches(params),
  };
}

const FORMAT_FIELDS = [
  ...['response_format', 'text', 'output_config', 'output_format'],
  ...['responseSchema', 'response_schema', 'format'],
] as const;
const TOOL_FIELDS = ['tools', 'functions'] as const;

/** Input that a call only names: the provider keeps it. */
const STATE_FIELDS = [
  ...['previous_response_id', 'conversation', 'prompt', 'container'],
  ...['mcp_servers', 'cachedContent', 'cached_content'],
] as const;

const COUNTED: ReadonlySet<string> = new Set([...FORMAT_FIELDS, ...TOOL_FIELDS, ...STATE_FIELDS]);

/** OpenRouter's that add nothing to the prompt; any other may search, or read files. */
const ADD_NOTHING: ReadonlySet<unknown> = new Set([
  ...['response-healing', 'context-compression', 'moderation', 'auto-router'],
]);

/** Whether a gateway, or the maker of the model, adds to the prompt what it finds. */
function searches(params: JsonObject): boolean {
  const mode = textAt(objectAt(params, 'search_parameters'), 'mode');
  const plugins = listAt(params, 'plugins').map(asObject);
  return (
    isGiven(params['web_search_options']) ||
    (isGiven(params['search_parameters']) && mode !== 'off') ||
    plugins.some((plugin) => plugin?.['enabled'] !== false && !ADD_NOTHING.has(plugin?.['id']))
  );
}

function isGiven(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value != null;
}

function toolsOf(params: JsonObject): unknown[] {
  const bedrock = listAt(objectAt(params, 'toolConfig'), 'tools');
  const given = [...TOOL_FIELDS.flatMap((key) => listAt(params, key)), ...bedrock];
  return given.flatMap((tool) => {
    const declarations = listAt(asObject(tool), 'functionDeclarations');
    return declarations.length === 0 ? [tool] : declarations;
  });
}

function withoutMarks(tool: unknown): unknown {
  const { cache_control: _, ...definition } = asObject(tool) ?? {};
  return definition;
}

const RUN_BY_CLIENT = /function|custom|bash|computer|text_editor|memory|shell|apply_patch/;

/** Results of such a tool are input that nobody here sees: a search, a page, what code printed. */
function runsAtProvider(value: unknown): boolean {
  const tool = asObject(value);
  const type = textAt(tool, 'type');
  // OpenAI's shell is in a container of the provider, or of the client.
  const place = textAt(objectAt(tool, 'environment'), 'type') ?? 'local';
  if (type !== undefined) return !RUN_BY_CLIENT.test(type) || place !== 'local';
  // Google's are known by the one key they have; a tool of the client has a name, or a schema.
  return !['name', 'toolSpec', 'function', 'input_schema'].some((key) => tool?.[key] !== undefined);
}

/** What else is sent: instructions, a prediction, any field of the user's. Settings are short. */
function furtherParams(params: JsonObject): unknown[] {
  return Object.entries(params).flatMap(([key, value]): unknown[] => {
    if (COUNTED.has(key) || value == null) return [];
    if (typeof value === 'string') return value.length >= SHORTEST_TEXT ? [value] : [];
    return typeof value === 'object' && JSON.stringify(value).length >= SHORTEST_TEXT
      ? [value]
      : [];
  });
}

const SHORTEST_TEXT = 100;
