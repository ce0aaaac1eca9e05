import type { RedisClient } from '../../src/index.ts';

/**
 * What becomes of a command: it is sent, or lost on the way, or done with its reply lost, or done with a
 * reply that is late; or nothing becomes of it.
 */
export type Fate = 'sent' | 'lost' | 'unheard' | 'late' | 'nothing';

export const LATE_MS = 600;

// As servers write what is not worth another attempt: a test is not to wait for those.
const LOST = 'LOST the connection is closed';

/** A client whose commands can be lost by the keys that they are on. */
export class PartingClient implements RedisClient {
  /** Decides about a command on the first of its keys. */
  fateOf: (key: string) => Fate = () => 'sent';
  /** Until when a late reply is kept. */
  late: () => Promise<void> = () => new Promise((resolve) => setTimeout(resolve, LATE_MS));
  /** Every command, in order, the lost ones as well. */
  readonly commands: (string | number)[][] = [];
  readonly #client: RedisClient;

  constructor(client: RedisClient) {
    this.#client = client;
  }

  async call(command: string, ...args: (string | number)[]): Promise<unknown> {
    this.commands.push([command, ...args]);
    const isScript = command === 'EVALSHA' || command === 'EVAL';
    const fate = this.fateOf(String(args[isScript ? 2 : 0]));
    if (fate === 'lost') throw new Error(LOST);
    if (fate === 'nothing') return new Promise(() => {});
    const reply = await this.#client.call(command, ...args);
    if (fate === 'unheard') throw new Error(LOST);
    if (fate === 'late') await this.late();
    return reply;
  }
}
