import { replyOf } from './answer-text.ts';
import type { ConfirmedDurability } from './durability.ts';
import type { DedicatedClient } from './redis-client.ts';
import { messageOf, withoutPassword } from './redis-failure.ts';
import { UnconfirmedError } from './unconfirmed-error.ts';

/** How many replicas have everything that was sent before, and why none where that failed. */
interface Confirmation {
  readonly replicas: number;
  readonly error?: unknown;
}

/** Statuses of a script that has held something. */
const HOLDING: readonly unknown[] = ['held', 'again', 'extended', 'leased'];

function isHolding(answer: unknown): boolean {
  return HOLDING.includes(replyOf(answer)[0]);
}

/** A connection that tells what replicas have of what was written on it. */
export class ReplicatedConnection {
  readonly #client: DedicatedClient;
  readonly #durability: ConfirmedDurability;
  /** How often the connection has ended: another knows nothing of what was written on it. */
  #ends = 0;
  #waiting: Promise<Confirmation> | null = null;
  #next: Promise<Confirmation> | null = null;

  constructor(client: DedicatedClient, durability: ConfirmedDurability) {
    this.#client = client;
    this.#durability = durability;
    client.on('close', () => {
      this.#ends += 1;
    });
    // Each call fails by itself.
    client.on('error', () => {});
  }

  /** After everything that was sent before, and without waiting for replicas. */
  readonly call = (command: string, ...args: (string | number)[]): Promise<unknown> => {
    return this.#client.call(command, ...args);
  };

  /** @throws UnconfirmedError for a hold that too few replicas have confirmed in time. */
  readonly callConfirmed = async (
    command: string,
    ...args: (string | number)[]
  ): Promise<unknown> => {
    const ends = this.#ends;
    const answer = this.#client.call(command, ...args);
    const confirmation = this.#confirmation();
    const reply = await answer;
    if (!isHolding(reply)) return reply;
    const { replicas, error } = await confirmation;
    const isSame = ends === this.#ends;
    if (isSame && replicas >= this.#durability.replicas) return reply;
    throw this.#unconfirmed(isSame ? replicas : 0, error);
  };

  disconnect(): void {
    this.#client.disconnect();
  }

  /**
   * One that is about all that was sent until now. Only one is under way at a time, since it holds up
   * the connection: the next is for all that came meanwhile.
   */
  #confirmation(): Promise<Confirmation> {
    if (this.#waiting === null) return this.#wait();
    this.#next ??= this.#waiting.then(() => {
      this.#next = null;
      return this.#wait();
    });
    return this.#next;
  }

  #wait(): Promise<Confirmation> {
    const { replicas, timeoutMs } = this.#durability;
    const waiting = this.#client.call('WAIT', replicas, timeoutMs).then(
      (count): Confirmation => ({ replicas: Number(count) }),
      (error: unknown): Confirmation => ({ replicas: 0, error }),
    );
    this.#waiting = waiting;
    return waiting.finally(() => {
      if (this.#waiting === waiting) this.#waiting = null;
    });
  }

  #unconfirmed(confirmed: number, error: unknown): UnconfirmedError {
    const { replicas, timeoutMs } = this.#durability;
    const why = error === undefined ? '' : ` (${messageOf(error)})`;
    return new UnconfirmedError(
      `${confirmed} of ${replicas} replicas confirmed a hold within ${timeoutMs} ms${why}, so that it ` +
        'might be lost in a failover. The call was refused. See to the replicas, or lower ' +
        '`durability.replicas`.',
      { cause: withoutPassword(error) },
    );
  }
}
