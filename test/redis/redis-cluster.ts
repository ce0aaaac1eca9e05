import { Cluster, Redis } from 'ioredis';
import { vi } from 'vitest';
import { RedisServer } from '../../packages/redis/test/support/redis-server.ts';

const MASTERS = 3;
const SLOTS = 16_384;
const FOUND = { timeout: 20_000, interval: 50 };

/** Three masters, and a replica of each, that take over within seconds. */
export class RedisCluster {
  readonly #servers: readonly RedisServer[];
  readonly #clients: Redis[] = [];
  readonly #clusters: Cluster[] = [];

  static async start(): Promise<RedisCluster> {
    const options = [
      ...['--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1'],
      ...['--cluster-node-timeout', '1000', '--repl-diskless-sync-delay', '0'],
    ];
    const servers: RedisServer[] = [];
    for (let place = 0; place < 2 * MASTERS; place += 1) {
      servers.push(await RedisServer.start(...options));
    }
    const cluster = new RedisCluster(servers);
    try {
      await cluster.#form();
    } catch (error) {
      await cluster.stop();
      throw error;
    }
    return cluster;
  }

  private constructor(servers: readonly RedisServer[]) {
    this.#servers = servers;
  }

  get ports(): number[] {
    return this.#servers.map(({ port }) => port);
  }

  /** A client of the whole. */
  client(): Cluster {
    const nodes = this.#servers.map(({ port }) => ({ host: '127.0.0.1', port }));
    const client = new Cluster(nodes);
    client.on('error', () => {});
    this.#clusters.push(client);
    return client;
  }

  /** The server that has a key now, and a client of it alone. */
  async masterOf(key: string): Promise<{ server: RedisServer; client: Redis }> {
    const [first] = this.#clients as [Redis];
    const slot = await first.cluster('KEYSLOT', key);
    const ranges = await first.cluster('SLOTS');
    const range = ranges.find(([from, to]) => from <= slot && slot <= to);
    const [, port] = range?.[2] ?? [];
    const place = this.#servers.findIndex((server) => server.port === port);
    const [server, client] = [this.#servers[place], this.#clients[place]];
    if (server === undefined || client === undefined) throw new Error(`nobody has slot ${slot}`);
    return { server, client };
  }

  /** Moves the slot of a key, with all that is in it, to another master. */
  async moveSlot(key: string): Promise<void> {
    const [first] = this.#clients as [Redis];
    const slot = await first.cluster('KEYSLOT', key);
    const { server, client: source } = await this.masterOf(key);
    const place = this.#servers.slice(0, MASTERS).findIndex((each) => each !== server);
    const [target, { port }] = [this.#clients[place] as Redis, this.#servers[place] as RedisServer];
    const [from, to] = [await source.cluster('MYID'), await target.cluster('MYID')] as string[];
    await target.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', `${from}`);
    await source.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', `${to}`);
    const keys = (await source.call('CLUSTER', 'GETKEYSINSLOT', slot, 100)) as string[];
    await source.call('MIGRATE', '127.0.0.1', port, '', 0, 5_000, 'KEYS', ...keys);
    for (const client of [target, source])
      await client.call('CLUSTER', 'SETSLOT', slot, 'NODE', `${to}`);
  }

  async stop(): Promise<void> {
    for (const client of [...this.#clients, ...this.#clusters]) client.disconnect();
    for (const server of this.#servers) await server.stop();
  }

  async #form(): Promise<void> {
    for (const { port } of this.#servers) this.#clients.push(new Redis(port));
    for (const client of this.#clients) client.on('error', () => {});
    const [first, ...others] = this.#clients as [Redis, ...Redis[]];
    for (let place = 0; place < MASTERS; place += 1) {
      const bound = (index: number) => Math.floor((index * SLOTS) / MASTERS);
      const count = bound(place + 1) - bound(place);
      const slots = Array.from({ length: count }, (_, index) => bound(place) + index);
      await this.#clients[place]?.call('CLUSTER', 'ADDSLOTS', ...slots);
    }
    for (const { port } of this.#servers) await first.call('CLUSTER', 'MEET', '127.0.0.1', port);
    const ids = await Promise.all(this.#clients.map((client) => client.cluster('MYID')));
    await this.#until(others, (nodes) => ids.every((id) => nodes.includes(String(id))));
    for (let place = MASTERS; place < 2 * MASTERS; place += 1) {
      await this.#clients[place]?.call('CLUSTER', 'REPLICATE', String(ids[place - MASTERS]));
    }
    await this.#until(this.#clients, (nodes) => nodes.match(/slave/g)?.length === MASTERS);
    await vi.waitFor(async () => {
      for (const client of this.#clients) {
        if (!String(await client.cluster('INFO')).includes('cluster_state:ok'))
          throw new Error('no');
      }
      for (const client of this.#clients.slice(MASTERS)) {
        if (!(await client.info('replication')).includes('link_status:up')) throw new Error('no');
      }
    }, FOUND);
  }

  /** Until every one of these nodes sees the others so. */
  async #until(clients: readonly Redis[], isThere: (nodes: string) => boolean): Promise<void> {
    await vi.waitFor(async () => {
      for (const client of clients) {
        const nodes = String(await client.cluster('NODES'));
        if (!isThere(nodes)) throw new Error(`the cluster is not formed yet:\n${nodes}`);
      }
    }, FOUND);
  }
}
