import { createServer, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import type { RedisClient } from '../../src/index.ts';

/** Texts in a reply, as a client gets them that asks for them in base64. */
function encoded(reply: unknown): unknown {
  if (Array.isArray(reply)) return reply.map(encoded);
  const isText = typeof reply === 'string' && reply !== 'OK';
  return isText ? Buffer.from(reply).toString('base64') : reply;
}

/** Speaks the REST protocol of Upstash in front of a real server: one command as a JSON array. */
export class RestServer {
  readonly url: string;
  readonly #server: Server;

  static async start(client: RedisClient, token: string): Promise<RestServer> {
    const server = createServer(async (request, response) => {
      const answer = (status: number, body: unknown) => {
        response
          .writeHead(status, { 'content-type': 'application/json' })
          .end(JSON.stringify(body));
      };
      if (request.headers.authorization !== `Bearer ${token}`) {
        answer(401, { error: 'WRONGPASS invalid or missing auth token' });
        return;
      }
      const isEncoded = request.headers['upstash-encoding'] === 'base64';
      const [command, ...args] = JSON.parse(await text(request));
      try {
        const result = await client.call(command, ...args);
        answer(200, { result: isEncoded ? encoded(result) : result });
      } catch (error) {
        answer(400, { error: error instanceof Error ? error.message : String(error) });
      }
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new RestServer(server);
  }

  private constructor(server: Server) {
    this.#server = server;
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('the server has no port');
    this.url = `http://127.0.0.1:${address.port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
