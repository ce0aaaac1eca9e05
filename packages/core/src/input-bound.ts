import { type MediaItem, mediaTokens } from './media-tokens.ts';
import { type ModelTraits, modelTraits } from './model-traits.ts';
import { strictTokenBound } from './token-estimate.ts';
import { TokenMeter } from './token-meter.ts';

export { hidesReasoning, type ReasoningQuestion } from './hidden-reasoning.ts';
export type { MediaItem } from './media-tokens.ts';

/** A request as the provider will read it, in no framework's terms. */
export interface InputParts {
  /** Each piece of text: system prompt, messages, and reasoning that is sent back. */
  readonly texts: readonly string[];
  /** How many messages there are, the system prompt included. */
  readonly messages: number;
  /** Each tool's definition: name, description, schema; as JSON text or as a value to be JSON. */
  readonly tools?: readonly unknown[];
  /** The schema that the answer must follow, likewise. */
  readonly responseFormat?: unknown;
  /** Each tool call and each tool result in the messages, likewise. */
  readonly toolPayloads?: readonly unknown[];
  readonly media?: readonly MediaItem[];
  /** Input that the provider keeps and the request names: an earlier response, a stored prompt. */
  readonly serverState?: boolean;
}

export interface InputBoundOptions {
  readonly provider: string;
  readonly model: string;
  /**
   * How text is counted: `balanced` by its characters, about 1.4 times what English has and no
   * proof; `strict` by its bytes, which no known tokenizer exceeds.
   *
   * @default 'balanced'
   */
  readonly estimator?: 'balanced' | 'strict';
  /** The most input tokens that the model takes: the bound of a request with unseen parts. */
  readonly contextWindow?: number;
}

export interface InputBound {
  readonly tokens: number;
  /**
   * False when a part of the input can neither be seen nor bounded: `tokens` then counts the rest.
   * True says that everything was counted, by the estimator chosen.
   */
  readonly isBound: boolean;
}

// What providers put around the parts, at its largest of all that were measured (Claude 4.5's 549
// tokens for using tools at all); a schema may be shown to the model in a wordier form than JSON.
const ANY_TOOLS_TOKENS = 700;
const SCHEMA_TOKENS = 80;
const SCHEMA_FACTOR = 1.25;
const PAYLOAD_TOKENS = 16;

/**
 * How many input tokens a request can be billed for, counting everything that is sent.
 *
 * @throws RangeError for a context window or a number of messages that is no count.
 */
export function inputBound(parts: InputParts, options: InputBoundOptions): InputBound {
  const model = modelTraits(options.provider, options.model);
  const { contextWindow } = options;
  if (contextWindow !== undefined && !(Number.isSafeInteger(contextWindow) && contextWindow > 0)) {
    throw new RangeError(`${contextWindow} is no number of tokens for a context window.`);
  }
  if (!Number.isSafeInteger(parts.messages) || parts.messages < 0) {
    throw new RangeError(`${parts.messages} is no number of messages.`);
  }
  const media = (parts.media ?? []).map((item) => mediaTokens(item, model));
  const known = media.reduce<number>((sum, tokens) => sum + (tokens ?? 0), 0);
  const tokens = textTokens(parts, model, options.estimator ?? 'balanced') + known;
  const isSeen = parts.serverState !== true && !media.includes(null);
  if (contextWindow === undefined) return { tokens, isBound: isSeen };
  return { tokens: isSeen ? Math.min(tokens, contextWindow) : contextWindow, isBound: true };
}

function textTokens(parts: InputParts, model: ModelTraits, estimator: string): number {
  const { texts, messages, tools = [], responseFormat, toolPayloads = [] } = parts;
  const count =
    estimator === 'strict'
      ? (text: string) => strictTokenBound(text) + (model.family === 'anthropic' ? words(text) : 0)
      : (text: string) => new TokenMeter(model.textScale).push(text);
  const schema = (value: unknown) => SCHEMA_TOKENS + Math.ceil(SCHEMA_FACTOR * count(json(value)));
  let tokens = model.baseTokens + messages * model.messageTokens;
  for (const text of texts) tokens += count(text);
  if (tools.length > 0) tokens += ANY_TOOLS_TOKENS;
  for (const tool of tools) tokens += schema(tool);
  if (responseFormat !== undefined) tokens += schema(responseFormat);
  for (const payload of toolPayloads) tokens += PAYLOAD_TOKENS + count(json(payload));
  return tokens;
}

function json(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

/** Claude's newer tokenizers are said to mark words with tokens of their own. */
function words(text: string): number {
  let count = 0;
  let inWord = false;
  for (let index = 0; index < text.length; index++) {
    const isSpace = text.charCodeAt(index) <= 32;
    if (!isSpace && !inWord) count += 1;
    inWord = !isSpace;
  }
  return count;
}
