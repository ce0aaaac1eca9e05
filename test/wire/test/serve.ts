import { onTestFinished } from 'vitest';
import { startWireServer, type WireServer, type WireServerOptions } from '../wire-server.ts';

/** A server that is closed with the test. */
export async function serve(options: WireServerOptions = {}): Promise<WireServer> {
  const server = await startWireServer(options);
  onTestFinished(() => server.close());
  return server;
}
