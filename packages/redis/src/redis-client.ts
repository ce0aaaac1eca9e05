/**
 * What the sink needs of a client: one command at a time, to a server that takes writes. A client of
 * ioredis 5 or 6 is one as it is.
 */
export interface RedisClient {
  call(command: string, ...args: (string | number)[]): Promise<unknown>;
  /** Makes a connection of its own to the same server. Needed with `durability` alone. */
  duplicate?(override?: object): DedicatedClient;
  /** Of its connection, for messages; that of ioredis is `ready` where all is well. */
  readonly status?: string;
  /** Where it is true, commands go to several servers, over several connections. */
  readonly isCluster?: boolean;
}

/** One connection, on which commands are carried out in the order in which they are sent. */
export interface DedicatedClient {
  call(command: string, ...args: (string | number)[]): Promise<unknown>;
  /** `close` is told each time that the connection has ended, before anything is sent on another. */
  on(event: 'close' | 'error', listener: () => void): unknown;
  disconnect(): void;
}
