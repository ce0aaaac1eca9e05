import { ConfigError, SinkUnavailableError } from '@hardcap/core';
import type { RedisClient } from './redis-client.ts';
import { fateOf, isOfFlags, messageOf, withoutPassword } from './redis-failure.ts';
import type { ReplicatedConnection } from './replicated-connection.ts';
import { EXTEND, LEASE, RELEASE, RESERVE, type Script } from './scripts.ts';
import type { StoreKeys } from './store-keys.ts';
import { UnconfirmedError } from './unconfirmed-error.ts';

export type Argument = string | number;

/** Scripts that hold something. */
const HOLDING: readonly Script[] = [RESERVE, EXTEND, LEASE];

/** Waits between attempts, in ms: short at first, since most outages are a reconnection. */
const FIRST_WAIT = 10;
const LONGEST_WAIT = 200;

/** Runs scripts on the keys of a store, each in one round trip, and none for longer than its time. */
export class ScriptRunner {
  readonly #client: RedisClient;
  readonly #keys: readonly string[];
  readonly #timeoutMs: number;
  readonly #replicated: ReplicatedConnection | null;
  /** Whether the server takes scripts that say what they may do. */
  takesFlags = false;

  /** @param replicated for scripts that hold something, where replicas have to confirm that. */
  constructor(
    client: RedisClient,
    { books, due, ledger }: StoreKeys,
    timeoutMs: number,
    replicated: ReplicatedConnection | null,
  ) {
    this.#client = client;
    this.#replicated = replicated;
    this.#keys = [books, due, ledger];
    this.#timeoutMs = timeoutMs;
  }

  get ledger(): string {
    return this.#keys.at(-1) ?? '';
  }

  get timeoutMs(): number {
    return this.#timeoutMs;
  }

  /** When an operation that begins now is over, in ms since the epoch. */
  get deadline(): number {
    return Date.now() + this.#timeoutMs;
  }

  /**
   * Runs a script. Where nobody knows whether it ran, it is sent again while there is time: its id
   * makes that harmless.
   *
   * @param deadline of the operation that it is part of, in ms since the epoch
   * @throws SinkUnavailableError when the server does not answer in time, or with an error, and
   * UnconfirmedError where too few replicas have a hold that the server has.
   */
  run(
    script: Script,
    args: readonly Argument[],
    deadline: number = this.deadline,
  ): Promise<unknown> {
    const rest = [this.#keys.length, ...this.#keys, ...args];
    const call = this.#callOf(script);
    return this.#inTime(script.name, deadline, (isUnknown) => {
      const { sha, text } = (this.takesFlags && script.flagged) || script;
      // A server that was restarted or took over has never seen the script.
      return isUnknown ? call('EVAL', text, ...rest) : call('EVALSHA', sha, ...rest);
    });
  }

  #callOf(script: Script): RedisClient['call'] {
    if (this.#replicated !== null) {
      if (HOLDING.includes(script)) return this.#replicated.callConfirmed;
      // Must not get ahead of what it gives back.
      if (script === RELEASE) return this.#replicated.call;
    }
    return (command, ...args) => this.#client.call(command, ...args);
  }

  /** A command that reads. */
  command(name: string, ...args: readonly Argument[]): Promise<unknown> {
    return this.#inTime(name, this.deadline, () => this.#client.call(name, ...args));
  }

  /** Something that several operations wait for, each until its own deadline. */
  async wait<Answer>(
    operation: string,
    deadline: number,
    answer: Promise<Answer>,
  ): Promise<Answer> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const isLate = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(this.#timeout(operation)), leftUntil(deadline));
    });
    try {
      return await Promise.race([answer, isLate]);
    } finally {
      clearTimeout(timer);
    }
  }

  // One promise for nearly every call: layers of them would cost more than the rest of the client.
  #inTime(
    operation: string,
    deadline: number,
    send: (isUnknown: boolean) => Promise<unknown>,
  ): Promise<unknown> {
    return new Promise((resolve, reject) => {
      let wait = FIRST_WAIT;
      let timer: ReturnType<typeof setTimeout> | null = setTimeout(() => {
        timer = null;
        reject(this.#timeout(operation));
      }, leftUntil(deadline));
      const end = () => {
        if (timer !== null) clearTimeout(timer);
        timer = null;
      };
      const attempt = (isUnknown: boolean): void => {
        // Its deadline has passed, and nobody waits any more.
        if (timer === null) return;
        send(isUnknown).then((reply) => {
          end();
          resolve(reply);
        }, failed);
      };
      const failed = (error: unknown): void => {
        if (messageOf(error).startsWith('NOSCRIPT')) {
          attempt(true);
          return;
        }
        // Where servers are upgraded one by one, another may be older than the one that was asked.
        if (this.takesFlags && isOfFlags(error)) {
          this.takesFlags = false;
          attempt(true);
          return;
        }
        if (error instanceof UnconfirmedError || ConfigError.isInstance(error)) {
          end();
          reject(error);
          return;
        }
        const { isPassing, text } = fateOf(error);
        if (isPassing && Date.now() + wait < deadline) {
          setTimeout(attempt, wait, false);
          wait = Math.min(wait * 2, LONGEST_WAIT);
          return;
        }
        end();
        reject(
          new SinkUnavailableError(`Redis failed to ${operation}: ${text}`, {
            cause: withoutPassword(error),
          }),
        );
      };
      attempt(false);
    });
  }

  #timeout(operation: string): SinkUnavailableError {
    const { status = 'ready' } = this.#client;
    const state = status === 'ready' ? '' : ` The connection: ${status}.`;
    return new SinkUnavailableError(
      `Redis did not answer within ${this.#timeoutMs} ms (${operation}).${state} Whether it was carried ` +
        'out is unknown; repeating it with the same id is safe.',
    );
  }
}

/** Ms from now on. */
function leftUntil(deadline: number): number {
  return Math.max(0, deadline - Date.now());
}
