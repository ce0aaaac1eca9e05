import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Delivery {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Receiver extends AsyncDisposable {
  readonly url: string;
  /** In the order in which they came, whatever was answered. */
  readonly deliveries: readonly Delivery[];
}

/** How to answer a delivery; `silence` never does, and `hangUp` breaks the connection. */
export type Answer = number | 'silence' | 'hang-up' | ((response: ServerResponse) => void);

/** A server that receives webhooks, and answers the first with the first answer; 204 in the end. */
export async function receiver(...answers: Answer[]): Promise<Receiver> {
  const deliveries: Delivery[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    deliveries.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
    const answer = answers[deliveries.length - 1] ?? 204;
    if (answer === 'hang-up') request.socket.destroy();
    else if (typeof answer === 'number') response.writeHead(answer).end('thanks');
    else if (typeof answer === 'function') answer(response);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hooks`,
    deliveries,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
