import type { RedisClient } from '../../src/index.ts';
import type { Script } from '../../src/scripts.ts';

// As servers write what is not worth another attempt.
const LOST = 'LOST the connection is closed';

/** A client that loses the reply to the next script of a kind, or the script itself. */
export class LosingClient implements RedisClient {
  readonly #client: RedisClient;
  #script: Script | null = null;
  #isDone = true;
  isAway = false;
  lost = 0;
  /** Done while a script is under way, once. */
  meanwhile: { readonly script: Script; readonly work: () => Promise<unknown> } | null = null;

  constructor(client: RedisClient) {
    this.#client = client;
  }

  loseReply(script: Script): void {
    [this.#script, this.#isDone] = [script, true];
  }

  lose(script: Script): void {
    [this.#script, this.#isDone] = [script, false];
  }

  async call(command: string, ...args: (string | number)[]): Promise<unknown> {
    if (this.isAway) throw new Error(LOST);
    const isOf = (script: Script) => [script.sha, script.text].includes(String(args[0]));
    const isIt = this.#script !== null && isOf(this.#script);
    if (isIt && !this.#isDone) throw this.#lost();
    const { meanwhile } = this;
    const reply = await this.#client.call(command, ...args);
    if (meanwhile !== null && isOf(meanwhile.script)) {
      this.meanwhile = null;
      await meanwhile.work();
    }
    if (isIt) throw this.#lost();
    return reply;
  }

  #lost(): Error {
    this.#script = null;
    this.lost += 1;
    return new Error(LOST);
  }
}
