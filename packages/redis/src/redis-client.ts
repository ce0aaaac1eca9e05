/**
 * What the sink needs of a client: one command at a time, to a server that takes writes. A client of
 * ioredis 5 or 6 is one as it is.
 */
export interface RedisClient {
  call(command: string, ...args: (string | number)[]): Promise<unknown>;
}
