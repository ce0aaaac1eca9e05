import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answer } from './answer.ts';
import type { Prices } from './billing.ts';
import type { Exchange } from './exchange.ts';
import { generate } from './generation.ts';
import { LiveExchange } from './live-exchange.ts';
import { type ReadRequest, readRequest } from './read-request.ts';
import { refuse } from './refuse.ts';
import type { Reply } from './reply.ts';
import type { WireRequest } from './wire-request.ts';

/** One for every request, the last one again and again; or found for each request. */
export type Replies = Reply | readonly Reply[] | ((request: WireRequest) => Reply);

export interface WireServerOptions {
  /** Needed for `billedNanoUsd` only. */
  readonly prices?: Prices;
  /** @default {} */
  readonly reply?: Replies;
}

/** Speaks the APIs of all providers on one port of this machine, by their paths. */
export interface WireServer {
  /** What `@anthropic-ai/sdk` takes as its base URL, and LangChain with it. */
  readonly url: string;
  readonly openaiBaseUrl: string;
  /** What `@ai-sdk/anthropic` takes. */
  readonly anthropicBaseUrl: string;
  /** What `@ai-sdk/google` takes; LangChain's packages take `url`. */
  readonly googleBaseUrl: string;
  /** In the order of their arrival. */
  readonly exchanges: readonly Exchange[];
  /** Answers every request from now on. */
  reply(next: Replies): void;
  /** Hands out each exchange once, in the order of their arrival, and waits for it. */
  nextExchange(): Promise<Exchange>;
  billedNanoUsd(): number;
  /** Cuts what is still open. */
  close(): Promise<void>;
}

export async function startWireServer(options: WireServerOptions = {}): Promise<WireServer> {
  const server = new LocalWireServer(options);
  await server.listen();
  return server;
}

class LocalWireServer implements WireServer {
  url = '';
  readonly exchanges: LiveExchange[] = [];
  // A client may find a connection again after any pause: an idle one is never closed under it.
  readonly #server: Server = createServer({ keepAliveTimeout: 0 }, (message, response) => {
    void this.#handle(message, response);
  });
  readonly #prices: Prices;
  #nextReply: (request: WireRequest) => Reply;
  #handedOut = 0;
  #waiting: ((exchange: Exchange) => void)[] = [];

  constructor({ prices = {}, reply = {} }: WireServerOptions) {
    this.#prices = prices;
    this.#nextReply = replier(reply);
  }

  get openaiBaseUrl(): string {
    return `${this.url}/v1`;
  }

  get anthropicBaseUrl(): string {
    return `${this.url}/v1`;
  }

  get googleBaseUrl(): string {
    return `${this.url}/v1beta`;
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    const { port } = this.#server.address() as AddressInfo;
    this.url = `http://127.0.0.1:${port}`;
  }

  reply(next: Replies): void {
    this.#nextReply = replier(next);
  }

  nextExchange(): Promise<Exchange> {
    const arrived = this.exchanges[this.#handedOut];
    if (arrived !== undefined) {
      this.#handedOut += 1;
      return Promise.resolve(arrived);
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  billedNanoUsd(): number {
    return this.exchanges.reduce((sum, exchange) => sum + exchange.billedNanoUsd, 0);
  }

  async close(): Promise<void> {
    for (const exchange of this.exchanges) exchange.end('cut');
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  async #handle(message: IncomingMessage, response: ServerResponse): Promise<void> {
    // The socket may go away at any time; what becomes of the exchange is told by `close`.
    response.on('error', () => {});
    const read = await readRequest(message);
    if (read === null) return;
    const { protocol, request } = read;
    const suffix = this.exchanges.length + 1;
    const reply = this.#nextReply(request);
    const generation = generate(request, reply, protocol.limits(request), suffix);
    const refusal = refusalOf(read, reply);
    const exchange = new LiveExchange(request, refusal === null ? generation : null, this.#prices);
    response.once('finish', () => exchange.end('finished'));
    response.once('close', () => exchange.end('client-closed'));
    // It may have gone away right after the last byte of its request.
    if (response.destroyed) exchange.end('client-closed');
    this.#arrive(exchange);

    if (reply.holdBeforeHeaders) await Promise.race([reply.holdBeforeHeaders, exchange.closed]);
    if (exchange.isClosed) return;
    if (refusal === null) await answer({ exchange, response, protocol, generation });
    else refuse({ exchange, response, protocol, generation }, refusal);
  }

  #arrive(exchange: LiveExchange): void {
    this.exchanges.push(exchange);
    const waiting = this.#waiting.shift();
    if (waiting === undefined) return;
    this.#handedOut += 1;
    waiting(exchange);
  }
}

function replier(replies: Replies): (request: WireRequest) => Reply {
  if (typeof replies === 'function') return replies;
  const queue = Array.isArray(replies) ? [...replies] : [replies];
  return () => (queue.length > 1 ? queue.shift() : queue[0]) ?? {};
}

function refusalOf({ refusal }: ReadRequest, { status }: Reply): ReadRequest['refusal'] {
  return refusal ?? (status !== undefined && status >= 400 ? { status } : null);
}
