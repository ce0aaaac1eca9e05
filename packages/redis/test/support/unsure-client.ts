import type { RedisClient } from '../../src/index.ts';
import { ADOPT, LEASE, type Script, SETTLE, SETTLE_LEASED } from '../../src/scripts.ts';

/** What becomes of a command that a client sends. */
export type Fate = 'answered' | 'reply lost' | 'lost' | 'late';

type Arguments = readonly (string | number)[];

/** What runs late changes nothing, even where nobody has asked again since. */
export const MAY_BE_LATE: readonly Script[] = [ADOPT, LEASE, SETTLE, SETTLE_LEASED];

// As servers write what is not worth another attempt: the sink gives up at once, as at its deadline.
const GONE = 'GONE as it was to be';

/** A client of which nobody knows what becomes of the next command. */
export class UnsureClient implements RedisClient {
  readonly #client: RedisClient;
  readonly #next: (sha: string) => Fate;
  readonly #after: (sha: string) => Promise<void>;
  #late: Arguments[] = [];

  /** @param after done once the server has carried out a command */
  constructor(
    client: RedisClient,
    next: (sha: string) => Fate,
    after: (sha: string) => Promise<void>,
  ) {
    this.#client = client;
    this.#next = next;
    this.#after = after;
  }

  async call(command: string, ...args: (string | number)[]): Promise<unknown> {
    const fate = command === 'EVALSHA' ? this.#next(String(args[0])) : 'answered';
    if (fate === 'late' && isOf(MAY_BE_LATE, args)) this.#late.push(args);
    if (fate === 'late' || fate === 'lost') throw new Error(GONE);
    const reply = await this.#client.call(command, ...args);
    await this.#after(String(args[0]));
    if (fate === 'reply lost') throw new Error(GONE);
    return reply;
  }

  /** Has the server carry out what nobody waits for any more. @param place of which, of those there are */
  async runLate(place: number): Promise<void> {
    const [args] = this.#late.splice(place % Math.max(1, this.#late.length), 1);
    if (args === undefined) return;
    await this.#client.call('EVALSHA', ...args);
    await this.#after(String(args[0]));
  }

  async runAllLate(): Promise<void> {
    while (this.#late.length > 0) await this.runLate(0);
  }
}

function isOf(scripts: readonly Script[], [what]: Arguments): boolean {
  return scripts.some(({ sha, flagged }) => what === sha || what === flagged?.sha);
}
