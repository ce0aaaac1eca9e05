import type { ScriptRunner } from './script-runner.ts';

const DAY_MS = 86_400_000;
const MOST_FORGOTTEN = 1_000;

/**
 * The names of all partitions that may have something in them, for what has to go through all: a sorted
 * set by the time at which a process last said that it uses one.
 */
export class PartitionRegistry {
  readonly #runner: ScriptRunner;
  readonly #key: string;
  readonly #lifeMs: number;

  /** @param idleMs for how long a store lives that nobody uses */
  constructor(runner: ScriptRunner, key: string, idleMs: number) {
    this.#runner = runner;
    this.#key = key;
    // Who uses a partition says so every hour, and may be stopped for a while.
    this.#lifeMs = idleMs + 2 * DAY_MS;
  }

  /** Must be known before anything is held in the partition. */
  async add(name: string): Promise<void> {
    await this.#runner.command('ZADD', this.#key, Date.now(), name);
    await this.#runner.command('PEXPIRE', this.#key, this.#lifeMs);
  }

  async names(): Promise<string[]> {
    const oldest = Math.max(0, Date.now() - this.#lifeMs);
    const gone = await this.#between('-inf', `(${oldest}`, MOST_FORGOTTEN);
    if (gone.length > 0) await this.#runner.command('ZREM', this.#key, ...gone);
    return this.#between(oldest, '+inf', -1);
  }

  async #between(from: number | string, to: string, most: number): Promise<string[]> {
    const range = [this.#key, from, to, 'LIMIT', 0, most];
    return (await this.#runner.command('ZRANGEBYSCORE', ...range)) as string[];
  }
}
