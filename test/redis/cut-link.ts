import { connect, createServer, type Server, type Socket } from 'node:net';

/** A link between two servers that can fall silent: nothing arrives any more, and nobody is told. */
export class CutLink {
  readonly port: number;
  readonly #server: Server;
  readonly #sockets: Set<Socket> = new Set();
  #isCut = false;

  static async start(target: number): Promise<CutLink> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new CutLink(server, target);
  }

  private constructor(server: Server, target: number) {
    this.#server = server;
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('the link has no port');
    this.port = address.port;
    server.on('connection', (near) => {
      const far = connect(target, '127.0.0.1');
      this.#pass(near, far);
      this.#pass(far, near);
    });
  }

  cut(): void {
    this.#isCut = true;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #pass(from: Socket, to: Socket): void {
    this.#sockets.add(from);
    from.on('error', () => {});
    from.on('data', (data) => {
      if (!this.#isCut) to.write(data);
    });
    from.on('close', () => {
      this.#sockets.delete(from);
      to.destroy();
    });
  }
}
