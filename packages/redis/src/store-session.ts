import { type Reply, replyOf } from './answer-text.ts';
import { type KnownBefore, rebuildLost } from './rebuild-lost.ts';
import { failureAtStart, lacksPermissions } from './redis-failure.ts';
import type { Argument, ScriptRunner } from './script-runner.ts';
import { OPEN, PROOF, READ, type Script } from './scripts.ts';
import type { ServerCheck } from './server-checks.ts';
import { StoreLostError } from './store-lost-error.ts';

export interface SessionOptions {
  /** The time to go by instead of the server's: for tests. */
  readonly now: (() => number) | null;
  /** What becomes of calls once the store has lost its data. */
  readonly onStoreReset: 'deny' | 'accept' | 'rebuild';
  /** For how long what is over is remembered, in ms. */
  readonly endedMs: number;
  readonly expiredMs: number;
  readonly idleMs: number;
}

/** Epochs begin so where somebody decided to go on after a loss. */
const ACCEPTED = 'a:';
/** And so while it is rebuilt. */
const REBUILDING = 'r:';
/** And so where a client that came found a ledger without counters, until somebody decides. */
const LEFT = 'l:';
/** Scripts that leave no trace of their time in the store. */
const TRACELESS: readonly Script[] = [READ, PROOF];

/** The epoch that a call has taken the store to have, and the one that it has. */
interface Epochs {
  readonly asked: string;
  readonly other: string;
}

/** What a client knows of the store that it talks to: its epoch, and the time on its clock. */
export class StoreSession {
  readonly #runner: ScriptRunner;
  readonly #check: ServerCheck | null;
  readonly #options: SessionOptions;
  readonly #lives: string;
  #meeting: Promise<string> | null = null;
  #rebuilding: Promise<void> | null = null;
  #epoch: string | null = null;
  #acknowledged = 0;
  /** When it last answered. */
  #heard = 0;
  /** The time of the latest entry that was acknowledged. */
  #entered = 0;
  /** By how much the server's clock is ahead of the one here; null while that is not known. */
  #offset: number | null = null;

  /** @param check null where the server is taken as it is. */
  constructor(runner: ScriptRunner, options: SessionOptions, check: ServerCheck | null) {
    this.#runner = runner;
    this.#check = check;
    this.#options = options;
    this.#lives = `${options.endedMs} ${options.expiredMs} ${options.idleMs}`;
  }

  /** What the store is known by; null before it was met. */
  get epoch(): string | null {
    return this.#epoch;
  }

  /** After how long an account that nobody uses is forgotten, in ms. */
  get idleMs(): number {
    return this.#options.idleMs;
  }

  /** The time on the clock here. */
  get here(): number {
    return this.#options.now?.() ?? Date.now();
  }

  /** The time on the server's clock, as far as it is known here. */
  get at(): number {
    const now = this.here + (this.#offset ?? 0);
    return Math.max(now, this.#acknowledged);
  }

  /**
   * The time on the server's clock at which nobody waits for an answer any more. What is carried out
   * later, out of the queue of a client, would hold an amount for a call that was never made.
   */
  get notAfter(): number | '' {
    const isKnown = this.#options.now === null && this.#offset !== null;
    return isKnown ? this.at + 2 * this.#runner.timeoutMs : '';
  }

  /**
   * Runs a script; the reply is its status, its time, and more.
   *
   * @param deadline of the operation that it is part of, in ms since the epoch
   * @throws StoreLostError while the store is not the one it was, and nobody has accepted that.
   */
  run(
    script: Script,
    args: readonly Argument[],
    deadline: number = this.#runner.deadline,
  ): Promise<Reply> {
    if (this.#epoch === null) return this.#meetAndRun(script, args, deadline);
    const epoch = this.#epoch;
    return this.#tryRun(script, args, deadline, (reply) => {
      return this.#recover(script, args, deadline, { asked: epoch, other: String(reply[1] ?? '') });
    });
  }

  async #meetAndRun(script: Script, args: readonly Argument[], deadline: number): Promise<Reply> {
    await this.#runner.wait(script.name, deadline, this.meet(false));
    return this.run(script, args, deadline);
  }

  /** Goes on with a store that was lost, where that was decided. */
  async #recover(
    script: Script,
    args: readonly Argument[],
    deadline: number,
    { asked, other }: Epochs,
  ): Promise<Reply> {
    // Another call of this process may have been told before.
    const isKnown = this.#epoch !== asked;
    if (!isKnown && other !== asked && other.startsWith(ACCEPTED)) this.#go(other);
    else if (!isKnown) await this.#runner.wait(script.name, deadline, this.#decide(other));
    return this.#tryRun(script, args, deadline, () => {
      throw new StoreLostError();
    });
  }

  /** Does about a lost store what was decided for that. */
  async #decide(other: string): Promise<void> {
    const { onStoreReset } = this.#options;
    if (other.startsWith(REBUILDING)) await this.#joinRebuild();
    else if (onStoreReset === 'accept') await this.meet(true);
    else if (onStoreReset === 'rebuild') await this.#rebuild(other === this.#epoch);
    else throw new StoreLostError();
  }

  /** Meets the store, once for all calls that wait. @param anew goes on with it though it was lost. */
  async meet(anew: boolean): Promise<string> {
    this.#meeting ??= this.#open(anew);
    try {
      return await this.#meeting;
    } finally {
      this.#meeting = null;
    }
  }

  async #open(anew: boolean): Promise<string> {
    const isAccepted = this.#options.onStoreReset === 'accept';
    const epoch = await this.#checked(anew ? 'lost' : isAccepted ? 'left' : '');
    if (epoch.startsWith(REBUILDING)) await this.#joinRebuild();
    else if (epoch.startsWith(LEFT)) await this.#rebuildLeft();
    else this.#go(epoch);
    return epoch;
  }

  async #checked(what: '' | 'left' | 'lost'): Promise<string> {
    if (this.#check === null) return this.#ask(what);
    try {
      this.#runner.takesFlags = (await this.#check.of(this.#runner)).takesFlags;
      return await this.#ask(what);
    } catch (error) {
      throw failureAtStart(error);
    }
  }

  /** The epoch of the store, once that was done with it. */
  async #ask(what: '' | 'left' | 'lost' | 'rebuild' | 'rebuilt'): Promise<string> {
    const isChecked = this.#check === null ? '' : 1;
    const args = [...this.#start(this.#epoch ?? ''), newEpoch(), what, isChecked];
    const [status, at, told] = (await this.#runner.run(OPEN, args)) as Reply;
    if (status === 'forbidden') throw lacksPermissions(String(told));
    this.#see(Number(at));
    return String(told);
  }

  /**
   * Stops everybody but the session that it gives, to rebuild a store that was lost; null where it was
   * not, or somebody has decided to go on.
   */
  async stop(): Promise<StoreSession | null> {
    const epoch = await this.#ask('rebuild');
    if (!epoch.startsWith(REBUILDING)) {
      this.#go(epoch);
      return null;
    }
    const session = new StoreSession(
      this.#runner,
      { ...this.#options, onStoreReset: 'deny' },
      null,
    );
    session.#epoch = epoch;
    return session;
  }

  /** Goes on with what a session has rebuilt. */
  async resume(rebuilt: StoreSession): Promise<void> {
    this.#go(await rebuilt.#ask('rebuilt'));
  }

  async #joinRebuild(): Promise<void> {
    if (this.#options.onStoreReset !== 'rebuild') {
      throw new StoreLostError('It is being rebuilt.');
    }
    await this.#rebuild(false);
  }

  async #rebuildLeft(): Promise<void> {
    if (this.#options.onStoreReset !== 'rebuild') {
      throw new StoreLostError('Its ledger alone was left.');
    }
    await this.#rebuild(false);
  }

  get #before(): KnownBefore {
    const heardAt = this.#epoch === null ? Number.POSITIVE_INFINITY : this.#heard;
    return { heardAt, enteredAt: this.#entered };
  }

  /** Once for all calls that wait. */
  async #rebuild(isEarlier: boolean): Promise<void> {
    if (isEarlier) throw new StoreLostError('Its ledger is from before, too.');
    this.#rebuilding ??= rebuildLost(this, this.#runner, this.#before).finally(() => {
      this.#rebuilding = null;
    });
    await this.#rebuilding;
  }

  #tryRun(
    script: Script,
    args: readonly Argument[],
    deadline: number,
    recover: (reply: Reply) => Promise<Reply>,
  ): Promise<Reply> {
    const all = [...this.#start(this.#epoch ?? ''), ...args];
    return this.#runner.run(script, all, deadline).then((answer) => {
      const reply = replyOf(answer);
      if (reply[0] === 'lost') return recover(reply);
      this.#note(script, reply);
      return reply;
    });
  }

  #note(script: Script, [status, at]: Reply): void {
    const time = Number(at);
    this.#see(time);
    this.#heard = Math.max(this.#heard, time);
    const isKept = status !== 'stale' && !TRACELESS.includes(script);
    if (isKept && time > this.#acknowledged) this.#acknowledged = time;
  }

  /** Notices the time of an entry that was acknowledged. */
  entered(at: number): void {
    this.#entered = Math.max(this.#entered, at);
  }

  #start(epoch: string): Argument[] {
    return [this.#options.now?.() ?? '', this.#acknowledged, epoch, this.#lives];
  }

  #see(at: number): void {
    if (this.#options.now === null) this.#offset = at - Date.now();
  }

  /** Goes on with a store, be it the one that was known or another. */
  #go(epoch: string): void {
    if (this.#epoch !== null && epoch !== this.#epoch) {
      this.#acknowledged = 0;
      this.#entered = 0;
    }
    this.#epoch = epoch;
  }
}

/** Short, since it is read and written with every call: 48 random bits. */
function newEpoch(): string {
  return [...crypto.getRandomValues(new Uint8Array(6))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}
