import type { IncomingHttpHeaders } from 'node:http';
import type { JsonObject } from './json-object.ts';

export type ProtocolName =
  | 'openai-chat'
  | 'openai-responses'
  | 'openai-embeddings'
  | 'openai-images'
  | 'anthropic-messages'
  | 'gemini-content'
  | 'gemini-embeddings'
  | 'unknown';

/** A request as it arrived. */
export interface WireRequest {
  /** `unknown` where no protocol answers the path; the server says 404 then. */
  readonly protocol: ProtocolName;
  readonly method: string;
  /** With its query string. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Empty where the body was no JSON object; the server says 400 then. */
  readonly body: JsonObject;
  readonly model: string;
  /** Whether a stream was asked for. */
  readonly streaming: boolean;
}
