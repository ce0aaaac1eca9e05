import type { Reply, ToolCall } from './reply.ts';
import { splitIntoTokens } from './split-into-tokens.ts';
import type { TokenCounts } from './token-counts.ts';
import type { WireRequest } from './wire-request.ts';
import { words } from './words.ts';

const CHARACTERS_PER_ARGUMENT_TOKEN = 4;

interface SpokenPart<Kind> {
  readonly kind: Kind;
  readonly tokens: readonly string[];
}

export interface ToolCallPart {
  readonly kind: 'tool-call';
  readonly name: string;
  /** Unlike every other one of this server. */
  readonly suffix: string;
  readonly tokens: readonly string[];
}

export type Part = SpokenPart<'reasoning'> | SpokenPart<'text'> | ToolCallPart;

/** What the request allows. */
export interface GenerationLimits {
  /** Of each choice, reasoning included. */
  readonly outputTokens?: number | undefined;
  /** Whether the model reasons at all. */
  readonly reasons: boolean;
  /** The most that it reasons. */
  readonly reasoningTokens?: number | undefined;
  readonly choices: number;
  /** How many of a reply's searches are billed; as many as there are unless it says otherwise. */
  readonly billedSearches?: number;
  /** Of `outputTokens`, what earlier requests have generated, and this one has for input. */
  readonly before?: number;
}

/** All that the model generates for one request if nothing stops it. */
export interface Generation {
  /** Makes the ids of this reply unlike those of every other one. */
  readonly suffix: string;
  readonly createdAtSeconds: number;
  readonly model: string;
  readonly request: WireRequest;
  readonly reply: Reply;
  /** The same for every choice. */
  readonly parts: readonly Part[];
  readonly choices: number;
  /** Whether the output limit ended it. */
  readonly truncated: boolean;
  /** What has come by the end of it, where a further request may go on from there. */
  readonly continuesAt: number | null;
  /** Over all choices. */
  readonly counts: TokenCounts;
}

export function generate(
  request: WireRequest,
  reply: Reply,
  limits: GenerationLimits,
  number: number,
): Generation {
  const suffix = String(number).padStart(24, '0');
  const { before = 0 } = limits;
  const wanted = skip(wantedParts(reply, limits, suffix), before);
  const limit = reply.ignoreOutputLimit ? Infinity : (limits.outputTokens ?? Infinity) - before;
  const { tokensPerRequest = Infinity } = reply;
  const parts = truncate(wanted, Math.min(limit, tokensPerRequest));
  const truncated = tokensIn(parts) < tokensIn(wanted);
  return {
    suffix,
    createdAtSeconds: Math.floor(Date.now() / 1000),
    model: reply.servedModel ?? request.model,
    request,
    reply,
    parts,
    choices: limits.choices,
    truncated,
    continuesAt: truncated && tokensPerRequest < limit ? before + tokensPerRequest : null,
    counts: {
      input: (reply.inputTokens ?? 100) + (reply.toolUseInputTokens ?? 0) + before,
      cacheRead: reply.cacheRead ?? 0,
      cacheWrite5m: reply.cacheWrite5m ?? 0,
      cacheWrite1h: reply.cacheWrite1h ?? 0,
      webSearches: Math.min(reply.webSearches ?? 0, limits.billedSearches ?? Infinity),
      output: limits.choices * tokensIn(parts.filter((part) => part.kind !== 'reasoning')),
      reasoning: limits.choices * tokensIn(parts.filter((part) => part.kind === 'reasoning')),
    },
  };
}

function wantedParts(
  reply: Reply,
  { reasons, reasoningTokens }: GenerationLimits,
  suffix: string,
): Part[] {
  const reasoned = reasons ? Math.min(reply.reasoningTokens ?? 0, reasoningTokens ?? Infinity) : 0;
  const parts: Part[] = [
    { kind: 'reasoning', tokens: words(reasoned) },
    { kind: 'text', tokens: textTokens(reply) },
    ...(reply.toolCalls ?? []).map((call, position) => toolCallPart(call, `${suffix}${position}`)),
  ];
  return parts.filter((part) => part.tokens.length > 0);
}

function textTokens({ text, outputTokens, toolCalls }: Reply): string[] {
  if (text !== undefined) return splitIntoTokens(text, outputTokens);
  return words(outputTokens ?? (toolCalls ? 0 : 5));
}

function toolCallPart(call: ToolCall, suffix: string): ToolCallPart {
  const json =
    typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments ?? {});
  const count = Math.ceil(json.length / CHARACTERS_PER_ARGUMENT_TOKEN);
  return { kind: 'tool-call', name: call.name, suffix, tokens: splitIntoTokens(json, count) };
}

function skip(parts: readonly Part[], count: number): Part[] {
  let left = count;
  return parts.flatMap((part) => {
    const tokens = part.tokens.slice(left);
    left = Math.max(0, left - part.tokens.length);
    return tokens.length === 0 ? [] : [{ ...part, tokens }];
  });
}

function truncate(parts: readonly Part[], limit: number): Part[] {
  let left = limit;
  const kept: Part[] = [];
  for (const part of parts) {
    if (left <= 0) break;
    kept.push({ ...part, tokens: part.tokens.slice(0, left) });
    left -= part.tokens.length;
  }
  return kept;
}

function tokensIn(parts: readonly Part[]): number {
  return parts.reduce((sum, part) => sum + part.tokens.length, 0);
}
