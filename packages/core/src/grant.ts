import type { BoundAccount } from './bound-budgets.ts';
import type { BoundClaim } from './call-hold.ts';
import type { Link } from './chain.ts';
import { grantReservation } from './grant-reservation.ts';
import { type GrantTerms, grantAccount } from './grant-terms.ts';
import type { GrantContext } from './grants.ts';
import type { Beating } from './heartbeat.ts';
import type { Identity } from './identity.ts';
import type { AccountReading, Adjustment } from './usage-sink.ts';

/** What has become of a grant. Amounts in its unit: nano-USD, tokens or requests. */
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
  readonly terms: GrantTerms;
  readonly #context: GrantContext;
  readonly #identity: Identity;
  /** What the ledger says of it: secrets are hashed. */
  readonly #shown: Identity;
  readonly #account: BoundAccount;
  #claims: readonly BoundClaim[];
  #isClosed = false;
  #isSettled = false;

  /**
   * Made by the guard.
   *
   * @param from who pays, as given.
   * @param claims what it holds; nothing where another process holds it.
   */
  constructor(
    context: GrantContext,
    terms: GrantTerms,
    from: Identity,
    claims: readonly BoundClaim[],
  ) {
    this.id = terms.id;
    this.terms = terms;
    this.#identity = { ...from, grant: terms.id };
    this.#shown = { ...context.binder.checked(from), grant: terms.id };
    this.token = JSON.stringify(terms);
    this.startedAt = context.now();
    this.#context = context;
    this.#account = grantAccount(terms);
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
    await this.#adjust('limit', { type: 'limit', limit: amount, until: null });
  }

  /** Refuses further calls, stops those that run, as `guard.block` does, and closes. */
  async revoke(): Promise<GrantReport> {
    await this.#adjust('block', { type: 'block' });
    this.#context.heartbeat.lookAfter(this.#account.key);
    return this.close();
  }

  /**
   * Refuses further calls, and gives back at once what neither was spent nor is held by open calls. What
   * those leave follows as they end. Closed in a process that was given the token, it refuses at once,
   * and is given back by the process that made it within a third of `reservationTtlMs`.
   */
  async close(): Promise<GrantReport> {
    // Its account has no limit of its own but that.
    const reading = await this.#adjust('close', { type: 'limit', limit: null, until: 0 });
    await this.#giveBack(reading);
    return { spent: reading.committed, held: reading.held };
  }

  isOn(account: string): boolean {
    return this.#claims.some(({ account: { key } }) => key === account);
  }

  /** A call that it pays for has ended: if it is closed, there may be something to give back. */
  callEnded(): void {
    if (this.#isClosed && !this.#isSettled) void this.beat();
  }

  /** Keeps what the grant holds, and passes on a block of an account that it was taken from. */
  async beat(): Promise<void> {
    try {
      this.#context.keep(this);
      await this.#hold(this.#claims);
      const { sink } = this.#context.keeping;
      const parents = this.#claims.map(({ account }) => account);
      const asked = [this.#account, ...parents];
      const [own, ...readings] = await sink.ask('read', (owner) => owner.read(asked));
      const isBlocked = readings.some(({ blocked }, place) => {
        return blocked && parents[place]?.rule.shadow !== true;
      });
      if (own === undefined) return;
      if (isBlocked && !own.blocked) await this.revoke();
      else await this.#giveBack(own);
    } catch {
      // The guard has told its listener, and the next beat tries again.
    }
  }

  /**
   * Gives back what is not needed any more, by figures of its account that were read together: only one
   * that may spend nothing more is closed, whatever was known before of what it holds.
   */
  async #giveBack({ committed, held, limit }: AccountReading): Promise<void> {
    if (limit !== 0) return;
    this.#isClosed = true;
    if (this.#isSettled || this.#claims.length === 0) return;
    const { keeping, heartbeat } = this.#context;
    const accounts = this.#claims.map(({ account }) => account);
    this.#claims = accounts.map((account) => ({ account, amount: committed + held }));
    if (held > 0) await this.#hold(this.#claims);
    else {
      this.#isSettled = true;
      heartbeat.delete(this);
      const charges = accounts.map(({ key }) => ({ account: key, amount: committed }));
      // What its calls cost is in their entries.
      const details = { identity: this.#shown, costNanoUsd: 0 };
      const id = grantReservation(this.id);
      const outcome = 'known';
      const { notices } = await keeping.sink.settle({ id, outcome, charges, details });
      keeping.events.emitAll(notices);
    }
    keeping.onEnd?.(accounts);
  }

  async #hold(claims: readonly BoundClaim[]): Promise<void> {
    const { sink, events, ttlMs } = this.#context.keeping;
    const { notices } = await sink.extend({ id: grantReservation(this.id), claims, ttlMs });
    events.emitAll(notices);
  }

  async #adjust(what: string, change: Adjustment): Promise<AccountReading> {
    const { sink, events } = this.#context.keeping;
    const id = `${this.id}:${what}`;
    const details = { identity: this.#shown, reason: `grant: ${what}` };
    const request = { id, account: this.#account, change, details };
    const answer = await sink.ask('adjust', (owner) => owner.adjust(request));
    events.emitAll(answer.notices);
    return answer.reading;
  }
}
