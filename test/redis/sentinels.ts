import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { vi } from 'vitest';
import { freePort, SERVER } from '../../packages/redis/test/support/redis-server.ts';

const COUNT = 3;
const QUORUM = 2;
const FOUND = { timeout: 20_000, interval: 50 };

/** Sentinels of one master, as processes of their own, which replace it within seconds. */
export class Sentinels {
  /** What `sentinels` of ioredis takes. */
  readonly addresses: readonly { readonly host: string; readonly port: number }[];
  /** What `name` of ioredis takes. */
  readonly name = 'books';
  readonly #children: readonly ChildProcess[];
  readonly #folder: string;
  readonly #client: Redis;

  /** @param replicas how many the master has: all of them are known once this resolves */
  static async start(masterPort: number, replicas: number): Promise<Sentinels> {
    const folder = mkdtempSync(join(tmpdir(), 'hardcap-sentinels-'));
    const ports: number[] = [];
    for (let place = 0; place < COUNT; place += 1) ports.push(await freePort());
    const sentinels = new Sentinels(masterPort, ports, folder);
    await sentinels.#meet(replicas);
    return sentinels;
  }

  private constructor(masterPort: number, ports: readonly number[], folder: string) {
    this.addresses = ports.map((port) => ({ host: '127.0.0.1', port }));
    this.#folder = folder;
    this.#children = ports.map((port) => {
      const file = join(folder, `${port}.conf`);
      // They write what they find out into their own configuration.
      writeFileSync(file, configOf(this.name, masterPort, port, folder));
      const stdio = ['ignore', 'ignore', 'inherit'] as const;
      return spawn(SERVER, [file, '--sentinel'], { stdio: [...stdio] });
    });
    this.#client = new Redis(ports[0] as number);
    this.#client.on('error', () => {});
  }

  /** The port of the server that they take for the master now. */
  async masterPort(): Promise<number> {
    const address = await this.#client.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', this.name);
    return Number((address as string[])[1]);
  }

  async stop(): Promise<void> {
    this.#client.disconnect();
    await Promise.all(this.#children.map(killed));
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #meet(replicas: number): Promise<void> {
    await vi.waitFor(async () => {
      const text = String(await this.#client.call('SENTINEL', 'MASTER', this.name));
      const known = text.split(',');
      const figure = (name: string): number => Number(known[known.indexOf(name) + 1]);
      if (figure('num-slaves') !== replicas) throw new Error('replicas are missing');
      if (figure('num-other-sentinels') !== COUNT - 1) throw new Error('sentinels are missing');
    }, FOUND);
  }
}

function configOf(name: string, masterPort: number, port: number, folder: string): string {
  return [
    `port ${port}`,
    'bind 127.0.0.1',
    `dir ${folder}`,
    `sentinel monitor ${name} 127.0.0.1 ${masterPort} ${QUORUM}`,
    `sentinel down-after-milliseconds ${name} 1000`,
    `sentinel failover-timeout ${name} 4000`,
  ].join('\n');
}

function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.on('exit', () => resolve());
    child.kill('SIGKILL');
  });
}
