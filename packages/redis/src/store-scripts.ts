import { SinkUnavailableError } from '@hardcap/core';
import type { Reply } from './answer-text.ts';
import { CallsTogether } from './calls-together.ts';
import { AccountArguments, waysOf } from './script-arguments.ts';
import type { Argument, ScriptRunner } from './script-runner.ts';
import type { Script } from './scripts.ts';
import type { StoreSession } from './store-session.ts';

/** How often an operation is repeated because its windows were over. */
const MOST_TURNS = 5;

/** Makes the arguments of a script for a time. */
type ArgumentsAt = (at: number, ways: (ttlMs: number) => Argument[]) => readonly Argument[];

/** The scripts of one store, with what they have to be told of time and of accounts. */
export class StoreScripts {
  readonly runner: ScriptRunner;
  readonly session: StoreSession;
  readonly accounts: AccountArguments = new AccountArguments();
  readonly #together: CallsTogether;

  /** @param isTogether whether calls of one moment are sent in one script */
  constructor(runner: ScriptRunner, session: StoreSession, isTogether: boolean) {
    this.runner = runner;
    this.session = session;
    this.#together = new CallsTogether(session, isTogether);
  }

  /**
   * Runs a script with arguments made for a time. Where that was in another window than the server's
   * time is, the script has done nothing and says so.
   *
   * @param deadline of the operation that it is part of, in ms since the epoch
   */
  async run(
    script: Script,
    args: ArgumentsAt,
    deadline: number = this.runner.deadline,
  ): Promise<Reply> {
    let needed: readonly unknown[] = [];
    for (let turn = 0; turn < MOST_TURNS; turn += 1) {
      const { at } = this.session;
      const ways = (ttlMs: number) => waysOf(needed, at, ttlMs);
      // What is asked again has more to say than fits a script for several calls.
      const sender = turn === 0 ? this.#together : this.session;
      const reply = await sender.run(script, args(at, ways), deadline);
      if (reply[0] !== 'stale') return reply;
      needed = reply.slice(2);
      this.accounts.forget();
    }
    throw new SinkUnavailableError(
      `The windows of a call were over each of ${MOST_TURNS} times (${script.name}): the clock of ` +
        'the server jumps. Nothing was done.',
    );
  }
}
