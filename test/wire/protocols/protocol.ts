import type { Generation, GenerationLimits } from '../generation.ts';
import type { JsonObject } from '../json-object.ts';
import type { ProtocolName, WireRequest } from '../wire-request.ts';

/** One step of the generation, and what of it goes onto the wire: nothing for hidden reasoning. */
export interface Chunk {
  readonly text: string;
  readonly output: number;
  readonly reasoning: number;
  /** Whether the client can read generated tokens in it. */
  readonly visible: boolean;
}

/** The events of a stream, in the order in which they are asked for. */
export interface StreamScript {
  /** What is sent before anything is generated. */
  head(): string;
  chunks(): Iterable<Chunk>;
  /** What finishes the stream. */
  tail(): string;
  /** What the provider sends instead, when it fails on the way. */
  error(): string;
}

/** Why a provider refuses a call, in the words it says itself. */
export interface Refusal {
  readonly status: number;
  readonly message?: string;
  /** OpenAI names the parameter at fault and a code. */
  readonly parameter?: string;
  readonly code?: string;
}

/** How one provider API looks on the wire. */
export interface Protocol {
  readonly name: ProtocolName;
  answers(pathname: string): boolean;
  /** Read apart from the rest, for not every provider has both in the body. */
  addressee(pathname: string, body: JsonObject): { model: string; streaming: boolean };
  limits(request: WireRequest): GenerationLimits;
  /** What the real provider would not accept in this request. */
  refusal(request: WireRequest): Refusal | null;
  headers(suffix: string): Readonly<Record<string, string>>;
  readonly contentTypes: { readonly whole: string; readonly stream: string };
  /** The body of an answer that is no stream. */
  whole(generation: Generation): string;
  stream(generation: Generation): StreamScript;
  errorBody(refusal: Refusal, suffix: string): string;
}
