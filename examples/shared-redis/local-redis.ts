import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A server of the demo's own. */
export interface LocalRedis {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts a redis-server on a free port, set up as a store of budgets should be; null where there is none. */
export async function startLocalRedis(): Promise<LocalRedis | null> {
  const folder = mkdtempSync(join(tmpdir(), 'hardcap-demo-'));
  const port = await freePort();
  const network = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', folder];
  const store = ['--maxmemory-policy', 'noeviction', '--appendonly', 'yes', '--save', ''];
  const child = spawn('redis-server', [...network, ...store], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const stop = async () => {
    if (child.pid !== undefined && child.exitCode === null) {
      const ended = once(child, 'exit');
      child.kill();
      await ended;
    }
    rmSync(folder, { recursive: true, force: true });
  };
  if (await isReady(child)) return { url: `redis://127.0.0.1:${port}`, stop };
  await stop();
  return null;
}

/** False where there is no such program. */
function isReady(child: ChildProcess): Promise<boolean> {
  return new Promise((resolve, reject) => {
    child.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') resolve(false);
      else reject(error);
    });
    child.on('exit', (code) => reject(new Error(`redis-server ended with ${code}.`)));
    let said = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (said.includes('Ready to accept connections')) resolve(true);
    });
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('No port is free.');
  return address.port;
}
