import { type Reply, replyOfMany } from './answer-text.ts';
import { manyArguments, manyOf } from './many-arguments.ts';
import type { Argument } from './script-runner.ts';
import type { Script } from './scripts.ts';
import type { StoreSession } from './store-session.ts';

interface Waiting {
  readonly args: readonly Argument[];
  readonly deadline: number;
  readonly resolve: (reply: Reply | Promise<Reply>) => void;
  readonly reject: (error: unknown) => void;
}

/** The most calls of one script: others have to wait for it. */
const MOST_TOGETHER = 32;

/** A call waits for its answer by so much less where it is sent with one whose time is over before. */
const DEADLINES_APART_MS = 10;

/** Before the answers of several calls: a status and the time. */
const BEFORE_ANSWERS = 2;

/**
 * Reservations and settlements that a process asks for in one turn of its event loop, each kind in one
 * script: most of what a script costs it costs once. One alone is sent as ever.
 */
export class CallsTogether {
  readonly #session: StoreSession;
  readonly #isOn: boolean;
  readonly #waiting: Map<Script, Waiting[]> = new Map();

  constructor(session: StoreSession, isOn: boolean) {
    this.#session = session;
    this.#isOn = isOn;
  }

  /** The same as of the session. */
  run(script: Script, args: readonly Argument[], deadline: number): Promise<Reply> {
    if (!this.#isOn || manyOf(script) === undefined) {
      // Not ahead of what was asked for before.
      this.#sendAll();
      return this.#session.run(script, args, deadline);
    }
    return new Promise((resolve, reject) => {
      if (this.#waiting.size === 0) queueMicrotask(() => this.#sendAll());
      const waiting = this.#waiting.get(script) ?? [];
      this.#waiting.set(script, waiting);
      waiting.push({ args, deadline, resolve, reject });
      if (waiting.length === MOST_TOGETHER) this.#sendAll();
    });
  }

  #sendAll(): void {
    if (this.#waiting.size === 0) return;
    const all = [...this.#waiting];
    this.#waiting.clear();
    for (const [script, waiting] of all) {
      const latest = Math.max(...waiting.map(({ deadline }) => deadline));
      // A later step of an operation has what the others have left of its time.
      const isApart = ({ args, deadline }: Waiting) =>
        deadline < latest - DEADLINES_APART_MS || args.some(isLong);
      const together = waiting.filter((each) => !isApart(each));
      const singly = together.length > 1 ? waiting.filter(isApart) : waiting;
      for (const each of singly) this.#sendSingly(script, each);
      if (together.length > 1) this.#send(script, together);
    }
  }

  #sendSingly(script: Script, { args, deadline, resolve, reject }: Waiting): void {
    this.#session.run(script, args, deadline).then(resolve, reject);
  }

  #send(script: Script, waiting: readonly Waiting[]): void {
    const many = manyOf(script) as Script;
    const calls = waiting.map(({ args }) => args);
    const deadline = Math.min(...waiting.map((each) => each.deadline));
    this.#session.run(many, manyArguments(script, calls), deadline).then(
      (reply) => {
        waiting.forEach((each, place) => {
          // Null, or nothing where the script has done nothing at all.
          const answer = reply[BEFORE_ANSWERS + place];
          if (answer) each.resolve(replyOfMany(answer, reply[1]));
          else this.#sendSingly(script, each);
        });
      },
      (error) => {
        for (const { reject } of waiting) reject(error);
      },
    );
  }
}

/** What the store may not know yet takes lines; and that a script for several calls leaves alone. */
function isLong(argument: Argument): boolean {
  return typeof argument === 'string' && argument.includes('\n');
}
