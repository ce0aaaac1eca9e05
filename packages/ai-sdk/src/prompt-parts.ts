import { asObject, type JsonObject, listAt, objectAt, textAt } from '@hardcap/core/adapter';
import type { InputParts, MediaItem } from '@hardcap/core/input-bound';
import { fileContent } from './file-part.ts';
import type { ModelCall } from './model-call.ts';

/** Everything that a call sends, in the terms of `inputBound`. */
export function promptParts(call: ModelCall): InputParts {
  const prompt = new PromptReader();
  for (const message of call.prompt ?? []) prompt.message(asObject(message));
  const schema = objectAt(call, 'responseFormat')?.['schema'];
  const options = call.providerOptions ?? {};
  return {
    texts: prompt.texts,
    messages: call.prompt?.length ?? 0,
    // What stands in the options may be sent as it is: instructions, a prediction, any field.
    toolPayloads:
      Object.keys(options).length === 0 ? prompt.payloads : [...prompt.payloads, options],
    tools: (call.tools ?? []).map(toolDefinition),
    ...(schema === undefined ? {} : { responseFormat: schema }),
    media: prompt.media,
    serverState: prompt.isElsewhere || (call.tools ?? []).some(runsAtProvider) || hasState(options),
  };
}

/** Collects the texts, payloads and media of messages. */
class PromptReader {
  readonly texts: string[] = [];
  readonly payloads: unknown[] = [];
  readonly media: MediaItem[] = [];
  isElsewhere = false;

  message(message: JsonObject | undefined): void {
    const text = textAt(message, 'content');
    if (text !== undefined) this.texts.push(text);
    for (const part of listAt(message, 'content')) this.#part(asObject(part) ?? {});
  }

  #part(part: JsonObject): void {
    this.#sentBack(part['providerOptions']);
    switch (part['type']) {
      case 'text':
      case 'reasoning':
        this.texts.push(textAt(part, 'text') ?? '');
        break;
      case 'tool-call':
        this.payloads.push([part['toolName'], part['input']]);
        break;
      case 'tool-result':
        this.#toolResult(asObject(part['output']) ?? {});
        break;
      case 'tool-approval-response':
        this.payloads.push(part);
        break;
      case 'custom':
        // All it has is in its provider options.
        this.payloads.push(part['providerOptions']);
        break;
      default:
        this.#file(part);
    }
  }

  #toolResult(output: JsonObject): void {
    if (output['type'] !== 'content') {
      this.payloads.push(output['value'] ?? output['reason'] ?? '');
      return;
    }
    for (const item of listAt(output, 'value')) {
      const part = asObject(item) ?? {};
      if (part['type'] === 'text') this.payloads.push(textAt(part, 'text') ?? '');
      else if (part['type'] === 'custom') this.payloads.push(part['providerOptions']);
      else this.#file(part);
    }
  }

  #file(part: JsonObject): void {
    const content = fileContent(part);
    if ('text' in content) this.texts.push(content.text);
    else this.media.push(content.media);
  }

  /** Signatures and encrypted thoughts of earlier turns: long texts in the options of a part. */
  #sentBack(value: unknown): void {
    if (typeof value === 'string') {
      if (value.length >= SHORTEST_SENT_BACK) this.texts.push(value);
      return;
    }
    for (const inner of Object.values(asObject(value) ?? {})) this.#sentBack(inner);
  }
}

// Ids are shorter, and are no input.
const SHORTEST_SENT_BACK = 100;

function toolDefinition(tool: unknown): unknown {
  const definition = asObject(tool) ?? {};
  const { name, description, inputSchema, args } = definition;
  return definition['type'] === 'function' ? { name, description, inputSchema } : { name, args };
}

const RUN_BY_CLIENT = /bash|computer|text_editor|memory|shell|apply_patch|custom/;

/** Results of such a tool are input that nobody here sees: a search, a page, what code printed. */
function runsAtProvider(tool: unknown): boolean {
  const definition = asObject(tool);
  if (definition?.['type'] === 'function') return false;
  return !RUN_BY_CLIENT.test(textAt(definition, 'id') ?? '');
}

const STATE_OPTIONS = [
  'previousResponseId',
  'conversation',
  'promptId',
  'container',
  'mcpServers',
  'cachedContent',
  'continuationToken',
  'previous_response_id',
] as const;

/** Input that the provider keeps, and a call only names. */
function hasState(options: JsonObject): boolean {
  return Object.values(options).some((value) => {
    const own = asObject(value);
    return own !== undefined && STATE_OPTIONS.some((name) => own[name] != null);
  });
}
