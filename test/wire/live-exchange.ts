import type { IncomingHttpHeaders } from 'node:http';
import { nanoUsd, type Prices, ratesFor } from './billing.ts';
import type { Exchange, ExchangeEnd } from './exchange.ts';
import type { Generation } from './generation.ts';
import type { JsonObject } from './json-object.ts';
import { Pacer } from './pacer.ts';
import type { Chunk } from './protocols/protocol.ts';
import type { TokenCounts } from './token-counts.ts';
import type { ProtocolName, WireRequest } from './wire-request.ts';

/** The exchange as the server keeps its books on it. */
export class LiveExchange implements Exchange {
  readonly protocol: ProtocolName;
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: JsonObject;
  readonly model: string;
  readonly streaming: boolean;

  readonly receivedAtMs: number = Date.now();
  closedAtMs: number | null = null;
  readonly closed: Promise<ExchangeEnd>;
  status: number | null = null;
  chunksSent = 0;
  readonly pacer: Pacer;

  readonly #prices: Prices;
  /** null where the call is refused. */
  readonly #generation: Generation | null;
  readonly #generated = { output: 0, reasoning: 0 };
  #end: ExchangeEnd | null = null;
  #resolveClosed: (end: ExchangeEnd) => void = () => {};

  constructor(request: WireRequest, generation: Generation | null, prices: Prices) {
    this.protocol = request.protocol;
    this.method = request.method;
    this.path = request.path;
    this.headers = request.headers;
    this.body = request.body;
    this.model = request.model;
    this.streaming = request.streaming;
    this.pacer = new Pacer(generation?.reply.pace ?? 'immediate');
    this.#generation = generation;
    this.#prices = prices;
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve;
    });
  }

  get isClosed(): boolean {
    return this.#end !== null;
  }

  get tokensGenerated(): number {
    return this.#generated.output + this.#generated.reasoning;
  }

  get billed(): TokenCounts | null {
    if (this.#generation === null) return null;
    const { counts, reply } = this.#generation;
    if (this.#end === 'client-closed' && reply.generatesAfterHangUp) return counts;
    return { ...counts, ...this.#generated };
  }

  get billedNanoUsd(): number {
    if (this.billed === null || this.#generation === null) return 0;
    const { model, reply } = this.#generation;
    return nanoUsd(this.billed, ratesFor(this.#prices, model, reply.serviceTier));
  }

  sendChunk(): Promise<void> {
    return this.pacer.step();
  }

  async finish(): Promise<void> {
    this.pacer.open();
    await this.closed;
  }

  generated(chunk: Chunk): void {
    this.#generated.output += chunk.output;
    this.#generated.reasoning += chunk.reasoning;
  }

  /** Only the first end counts. */
  end(end: ExchangeEnd): void {
    if (this.#end !== null) return;
    this.#end = end;
    this.closedAtMs = Date.now();
    this.pacer.close();
    this.#resolveClosed(end);
  }
}
