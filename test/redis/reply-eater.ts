import { connect, createServer, type Server, type Socket } from 'node:net';

/** A proxy that lets a request through and cuts the connection instead of passing on the reply. */
export class ReplyEater {
  readonly port: number;
  /** How many replies it has eaten. */
  eaten = 0;
  readonly #server: Server;
  readonly #sockets: Set<Socket> = new Set();
  #marker: string | null = null;

  static async start(target: number): Promise<ReplyEater> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new ReplyEater(server, target);
  }

  private constructor(server: Server, target: number) {
    this.#server = server;
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
    this.port = address.port;
    server.on('connection', (client) => this.#pass(client, target));
  }

  /** Eats the reply to the next request that has a text in it. */
  eat(marker: string): void {
    this.#marker = marker;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #pass(client: Socket, target: number): void {
    const server = connect(target, '127.0.0.1');
    let isDoomed = false;
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        this.#sockets.delete(socket);
        client.destroy();
        server.destroy();
      });
    }
    client.on('data', (data) => {
      if (this.#marker !== null && data.includes(this.#marker)) {
        this.#marker = null;
        isDoomed = true;
      }
      server.write(data);
    });
    server.on('data', (data) => {
      if (!isDoomed) {
        client.write(data);
        return;
      }
      this.eaten += 1;
      client.destroy();
      // A reply may come in parts, and is one all the same.
      server.destroy();
    });
  }
}
