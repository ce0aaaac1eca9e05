import type { BoundClaim } from './call-hold.ts';
import type { Link } from './chain.ts';
import { type GrantTerms, grantAccount } from './grant-terms.ts';
import type { GrantContext } from './grants.ts';
import type { Beating } from './heartbeat.ts';
import type { Identity } from './identity.ts';
import type { AccountReading, Adjustment } from './usage-sink.ts';

/** What has become of a grant. Amounts in nano-USD. */
export interface GrantReport {
  readonly spent: number;
  /** What calls that are still open hold of it; they are charged as they end. */
  readonly held: number;
}

/**
 * A slice of the budgets of an identity, which hold it as long as the grant lives: for the children of
 * an agent, in this process or others. Close it to give back what was not spent.
 */
export class Grant implements Beating {
  readonly id: string;
  /** Gives the grant to another process: `guard.grant(token)`. It holds no secret. */
  readonly token: string;
  readonly startedAt: number;
  previous: Link | null = null;
  next: Link | null = null;
  readonly #context: GrantContext;
  readonly #identity: Identity;
  /** What the ledger says of it: secrets are hashed. */
  readonly #shown: Identity;
  #claims: readonly BoundClaim[];
  #isClosing = false;
  #isSettled = false;

  /** Made by the guard. @param claims what it holds; nothing where another process holds it. */
  constructor(
    context: GrantContext,
    terms: GrantTerms,
    from: Identity,
    claims: readonly BoundClaim[],
  ) {
    this.id = terms.id;
    this.#identity = { ...from, grant: terms.id };
    this.#shown = { ...context.binder.checked(from), grant: terms.id };
    this.token = JSON.stringify(terms);
    this.startedAt = context.now();
    this.#context = context;
    this.#claims = claims;
  }

  /**
   * The identity of calls that the grant pays for. In another process, add your own dimensions. It has
   * secrets as they were given, and is therefore no field that a log line would show.
   */
  get identity(): Identity {
    return this.#identity;
  }

  /** Made available by the guard, before anybody else knows of it. */
  async fund(amount: number): Promise<void> {
    try {
      await this.#adjust('limit', { type: 'limit', limit: amount, until: null });
    } catch (error) {
      this.#context.keeping.sink.releaseDoubtful(this.id);
      throw error;
    }
  }

  /** Refuses further calls, stops those that run, as `guard.block` does, and closes. */
  async revoke(): Promise<GrantReport> {
    await this.#adjust('block', { type: 'block' });
    this.#context.heartbeat.lookAfter(grantAccount(this.id).key);
    return this.close();
  }

  /**
   * Refuses further calls, and gives back at once what neither was spent nor is held by open calls. What
   * those leave follows as they end. In a process that was given the token, it only refuses.
   */
  async close(): Promise<GrantReport> {
    this.#isClosing = true;
    // Its account has no limit of its own but that.
    const { committed, held } = await this.#adjust('close', {
      type: 'limit',
      limit: null,
      until: 0,
    });
    await this.#giveBack(committed, held);
    return { spent: committed, held };
  }

  isOn(account: string): boolean {
    return this.#claims.some(({ account: { key } }) => key === account);
  }

  /** A call that it pays for has ended: if it is closed, there may be something to give back. */
  callEnded(): void {
    if (this.#isClosing && !this.#isSettled) void this.beat();
  }

  /** Keeps what the grant holds, and passes on a block of an account that it was taken from. */
  async beat(): Promise<void> {
    try {
      const { sink, ttlMs } = this.#context.keeping;
      await sink.extend({ id: this.id, claims: this.#claims, ttlMs });
      const parents = this.#claims.map(({ account }) => account);
      const asked = [grantAccount(this.id), ...parents];
      const [own, ...readings] = await sink.ask('read', (owner) => owner.read(asked));
      const isBlocked = readings.some(({ blocked }, place) => {
        return blocked && parents[place]?.rule.shadow !== true;
      });
      if (isBlocked && own?.blocked === false) await this.revoke();
      else if (this.#isClosing && own) await this.#giveBack(own.committed, own.held);
    } catch {
      // The guard has told its listener, and the next beat tries again.
    }
  }

  async #giveBack(committed: number, held: number): Promise<void> {
    if (this.#isSettled || this.#claims.length === 0) return;
    const { keeping, heartbeat } = this.#context;
    const { sink, ttlMs } = keeping;
    const accounts = this.#claims.map(({ account }) => account);
    this.#claims = accounts.map((account) => ({ account, amount: committed + held }));
    if (held > 0) await sink.extend({ id: this.id, claims: this.#claims, ttlMs });
    else {
      this.#isSettled = true;
      heartbeat.delete(this);
      const charges = accounts.map(({ key }) => ({ account: key, amount: committed }));
      // What its calls cost is in their entries.
      const details = { identity: this.#shown, grant: this.id, costNanoUsd: 0 };
      await sink.settle({ id: this.id, outcome: 'known', charges, details });
    }
    keeping.onEnd?.(accounts);
  }

  async #adjust(what: string, change: Adjustment): Promise<AccountReading> {
    const { sink, events } = this.#context.keeping;
    const id = `${this.id}:${what}`;
    const details = { identity: this.#shown, reason: `grant: ${what}` };
    const request = { id, account: grantAccount(this.id), change, details };
    const answer = await sink.ask('adjust', (owner) => owner.adjust(request));
    events.emitAll(answer.notices);
    return answer.reading;
  }
}
