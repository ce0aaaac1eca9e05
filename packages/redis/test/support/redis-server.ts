import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The server to test with: another one, such as valkey-server, by its path. */
export const SERVER: string = process.env['REDIS_SERVER'] ?? 'redis-server';

/** A redis-server of our own, on a free port, in a folder of its own. */
export class RedisServer {
  readonly port: number;
  readonly #settings: readonly string[];
  readonly #folder: string;
  #child: ChildProcess;

  private constructor(port: number, settings: readonly string[], folder: string) {
    this.port = port;
    this.#settings = settings;
    this.#folder = folder;
    this.#child = this.#spawn();
  }

  /** @param options of the command line; `--port` to have it where one was before */
  static async start(...options: string[]): Promise<RedisServer> {
    const folder = mkdtempSync(join(tmpdir(), 'hardcap-redis-'));
    const place = options.indexOf('--port');
    // Nodes of a cluster talk to each other 10,000 ports above their own.
    const highest = options.includes('--cluster-enabled') ? 55_535 : 65_535;
    const port = place < 0 ? await freePort(highest) : Number(options[place + 1]);
    const own = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', folder, '--save', ''];
    const server = new RedisServer(port, [...own, ...options], folder);
    await server.#ready();
    return server;
  }

  get pid(): number {
    return this.#child.pid as number;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Kills it, as a crash would, and starts it again on what is left in its folder. */
  async crash(): Promise<void> {
    await this.startAgain();
    await this.#ready();
  }

  /** The same, without waiting until it is ready. */
  async startAgain(): Promise<void> {
    await this.kill();
    this.#child = this.#spawn();
    this.#child.stdout?.resume();
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #spawn(): ChildProcess {
    return spawn(SERVER, this.#settings, { stdio: ['ignore', 'pipe', 'inherit'] });
  }

  #ready(): Promise<void> {
    const child = this.#child;
    return new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('exit', (code) => reject(new Error(`redis-server ended with ${code}`)));
      let said = '';
      child.stdout?.setEncoding('utf8').on('data', (text: string) => {
        said += text;
        if (said.includes('Ready to accept connections')) resolve();
      });
    });
  }

  /** Kills it, as a crash would: `crash` starts it again. */
  kill(): Promise<void> {
    const child = this.#child;
    if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
    child.removeAllListeners('exit');
    return new Promise((resolve) => {
      child.on('exit', () => resolve());
      child.kill('SIGKILL');
    });
  }
}

export async function freePort(highest: number = 65_535): Promise<number> {
  for (;;) {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    await new Promise((resolve) => server.close(resolve));
    if (address === null || typeof address === 'string') throw new Error('no port is free');
    if (address.port <= highest) return address.port;
  }
}
