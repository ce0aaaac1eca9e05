import { type AddressInfo, connect, createServer } from 'node:net';

export interface TcpRefused {
  /** A connection to it is refused. */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * A port where nothing listens, and nothing will: it is the near end of a connection of our own.
 * A port that was only free a moment ago could be given to the next server that starts.
 */
export async function tcpRefused(): Promise<TcpRefused> {
  const server = createServer((accepted) => accepted.on('error', () => {}));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const client = connect(port, '127.0.0.1');
  await new Promise<void>((resolve, reject) => {
    client.once('connect', resolve).once('error', reject);
  });
  return {
    url: `http://127.0.0.1:${client.localPort}`,
    close: () =>
      new Promise((resolve) => {
        client.destroy();
        server.close(() => resolve());
      }),
  };
}
