import type { JsonObject } from './json-object.ts';

/**
 * How fast a reply comes. `immediate` yields to the event loop before every chunk, `everyMs` waits
 * that long before every chunk, `manual` waits for `exchange.sendChunk()` or `exchange.finish()`.
 */
export type Pace = 'immediate' | 'manual' | { readonly everyMs: number };

/** `missing` leaves the figures out, an object is put on the wire verbatim. */
export type UsageReport = 'reported' | 'missing' | JsonObject;

/** `arguments` are sent as JSON, a string as it is. */
export interface ToolCall {
  readonly name: string;
  readonly arguments: unknown;
}

/** What the model would generate, what the provider counts, and what goes wrong on the way. */
export interface Reply {
  /** Input tokens that touched no cache. @default 100 */
  readonly inputTokens?: number;
  readonly cacheRead?: number;
  readonly cacheWrite5m?: number;
  readonly cacheWrite1h?: number;
  /** Queries of Gemini's grounding: each is billed from Gemini 3 on, and before that the answer. */
  readonly webSearches?: number;
  /**
   * Read by tools that the provider ran. Gemini counts it beside the prompt, the others in it; streams
   * of Anthropic and of OpenAI Responses show that there was a tool, and count it at their end.
   */
  readonly toolUseInputTokens?: number;

  /** Tokens of visible text. @default the words of `text`; without text or tool calls 5 */
  readonly outputTokens?: number;
  /** One word is one token, unless `outputTokens` says how many it is. @default generated words */
  readonly text?: string;
  /** @default 1 */
  readonly tokensPerChunk?: number;
  /**
   * Thought before the text: hidden by OpenAI, and by Gemini unless the request asks to see it;
   * Anthropic only thinks where the request asks.
   */
  readonly reasoningTokens?: number;
  /** After the text. Every four characters of the arguments are one more output token. */
  readonly toolCalls?: readonly ToolCall[];
  /** The model id in the reply, and the one that is billed. @default the requested one */
  readonly servedModel?: string;
  /** In the reply; billed at the price of `model@tier` where there is one. */
  readonly serviceTier?: string;
  /**
   * The most of one request, visible or not: Gemini stops there and gives a token with which the
   * next one goes on, which is billed for all that came before as input.
   */
  readonly tokensPerRequest?: number;
  /** Generates past the request's own output limit. */
  readonly ignoreOutputLimit?: boolean;

  /** @default 'reported' */
  readonly usage?: UsageReport;
  /**
   * How makers that copied OpenAI Chat report the usage of a stream, asked or not: in the chunk with
   * the finish reason, Groq under a key of its own.
   */
  readonly chatDialect?: 'groq' | 'mistral';
  /** The figures before the end: Anthropic's `message_start`, every chunk of Gemini's. @default as `usage` */
  readonly earlyUsage?: UsageReport;

  /** 400 and above refuse the call: nothing is generated, nothing billed. */
  readonly status?: number;
  /** @default what the provider says with that status */
  readonly errorBody?: unknown;
  /** Added to the provider's own, e.g. `{ 'retry-after': '2' }`. */
  readonly headers?: Readonly<Record<string, string>>;

  /** Waits for this before anything is answered. */
  readonly holdBeforeHeaders?: Promise<unknown>;
  /** @default 'immediate' */
  readonly pace?: Pace;
  /** Generates everything and destroys the socket without an answer. */
  readonly cutBeforeHeaders?: boolean;
  /** Destroys the socket after so many visible chunks; a body that is no stream after its half. */
  readonly cutAfterChunks?: number;
  /** The provider's own error event after so many visible chunks, then the end of the stream. */
  readonly errorAfterChunks?: number;
  /** The stream ends without the events that finish it. */
  readonly endWithoutFinish?: boolean;
  /** Generates everything and answers 200 with text that is no JSON. */
  readonly garbage?: boolean;
  /** The provider does not stop when the client hangs up, and bills all of it. */
  readonly generatesAfterHangUp?: boolean;
}
