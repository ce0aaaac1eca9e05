import { type Adjustment, WindowedSpendBudgetPolicy, type WindowSpec } from '../../src/index.ts';

/**
 * A sink by the letter and without any art: lists of everything that happened, added up anew for
 * each question, and the policy to decide. The memory sink must agree with it.
 */

/** How a window counts; a calendar day of UTC is a fixed one. */
type Span =
  | 'total'
  | { readonly fixed: number }
  | { readonly rolling: number; readonly slot: number };

export interface ModelAccount {
  readonly key: string;
  readonly spec: WindowSpec;
  readonly span: Span;
  readonly attribute: 'reserve' | 'settle';
  readonly onExpiry: 'charge' | 'release';
  /** As configured; may change. */
  limit: number;
}

export type Amounts = ReadonlyMap<ModelAccount, number>;

interface ModelReservation {
  readonly id: string;
  readonly reserved: Amounts;
  readonly holds: Map<ModelAccount, number>;
  readonly admittedAt: number;
  expiresAt: number;
  state: 'open' | 'settled' | 'released' | 'expired';
  /** What expiry charged. */
  readonly charged: Map<ModelAccount, ModelCharge>;
}

interface ModelCharge {
  readonly account: ModelAccount;
  /** Decides the window, and the slot, that pays. */
  readonly time: number;
  amount: number;
  /** A reset has given it back. */
  isForgiven: boolean;
}

export interface ModelRefusal {
  readonly account: string;
  readonly kind: string;
  readonly limit: number | null;
  readonly committed: number;
  readonly held: number;
  readonly requested: number;
  readonly retryAfterMs: number | null;
}

/** Start of the slot or window of this length that a time is in. */
const floor = (time: number, length: number): number => Math.floor(time / length) * length;

export class SinkModel {
  now = Number.NEGATIVE_INFINITY;
  readonly #reservations: Map<string, ModelReservation> = new Map();
  readonly #charges: ModelCharge[] = [];
  readonly #adjustments: { id: string; account: ModelAccount; change: Adjustment; at: number }[] =
    [];
  readonly #policies: Map<string, WindowedSpendBudgetPolicy> = new Map();

  /** The clock as it is read, which never runs backwards; holds expire as it moves. */
  at(time: number): void {
    this.now = Math.max(this.now, time);
    for (const reservation of this.#reservations.values()) {
      if (reservation.state !== 'open' || reservation.expiresAt > this.now) continue;
      reservation.state = 'expired';
      const { admittedAt, expiresAt } = reservation;
      for (const [account, held] of reservation.holds) {
        const time = account.attribute === 'reserve' ? admittedAt : expiresAt;
        const amount = account.onExpiry === 'charge' ? held : 0;
        reservation.charged.set(account, this.#charge(account, time, amount));
      }
    }
  }

  reserve(
    id: string,
    amounts: Amounts,
    ttlMs: number,
  ): 'admitted' | 'repeated' | 'mismatch' | ModelRefusal[] {
    const known = this.#reservations.get(id);
    if (known !== undefined) {
      const isSame =
        known.reserved.size === amounts.size &&
        [...amounts].every(([account, amount]) => known.reserved.get(account) === amount);
      return known.state === 'open' && isSame ? 'repeated' : 'mismatch';
    }
    const refusals = [...amounts].flatMap(([account, asked]) =>
      this.#refusal(account, asked, this.now, 0),
    );
    if (refusals.length > 0) return refusals;
    const [reserved, holds, charged] = [new Map(amounts), new Map(amounts), new Map()];
    const times = { admittedAt: this.now, expiresAt: this.now + ttlMs };
    this.#reservations.set(id, { id, reserved, holds, ...times, state: 'open', charged });
    return 'admitted';
  }

  extend(id: string, amounts: Amounts, ttlMs: number): string | ModelRefusal[] {
    const known = this.#reservations.get(id);
    if (known?.state !== 'open') return known?.state ?? 'never-held';
    if ([...amounts.keys()].some((account) => !known.holds.has(account))) return 'mismatch';
    const refusals = [...amounts].flatMap(([account, asked]) => {
      const own = known.holds.get(account) as number;
      const isBound = account.attribute === 'reserve' && !isRolling(account);
      const time = isBound ? known.admittedAt : this.now;
      return asked <= own ? [] : this.#refusal(account, asked, time, own);
    });
    if (refusals.length > 0) return refusals;
    for (const [account, amount] of amounts) known.holds.set(account, amount);
    known.expiresAt = this.now + ttlMs;
    return 'extended';
  }

  /** Amounts that are not given are those held. */
  settle(id: string, amounts: Amounts): string {
    const known = this.#reservations.get(id);
    if (known === undefined) return 'never-held';
    if (known.state === 'settled' || known.state === 'released') return known.state;
    const isLate = known.state === 'expired';
    for (const [account, held] of known.holds) {
      const amount = amounts.get(account) ?? held;
      const charged = known.charged.get(account);
      const time = account.attribute === 'reserve' ? known.admittedAt : this.now;
      if (charged === undefined) this.#charge(account, time, amount);
      else if (!charged.isForgiven) charged.amount = amount;
      else this.#charge(account, charged.time, Math.max(0, amount - charged.amount));
    }
    known.state = 'settled';
    return isLate ? 'late' : 'now settled';
  }

  release(id: string): string {
    const known = this.#reservations.get(id);
    if (known?.state !== 'open') return known?.state ?? 'never-held';
    known.state = 'released';
    return 'now released';
  }

  adjust(id: string, account: ModelAccount, change: Adjustment): string {
    if (this.#adjustments.some((done) => done.id === id)) return 'already-adjusted';
    this.#adjustments.push({ id, account, change, at: this.now });
    if (change.type !== 'reset') return 'adjusted';
    for (const charge of this.#charges) {
      if (charge.account === account && this.#counts(account, charge.time, this.now)) {
        charge.isForgiven = true;
      }
    }
    return 'adjusted';
  }

  isBlocked(account: ModelAccount): boolean {
    const changes = this.#changesOf(account).map(({ change }) => change.type);
    return changes.lastIndexOf('block') > changes.lastIndexOf('unblock');
  }

  /** The limit of the window that a time is in, as it is now. */
  limit(account: ModelAccount, time: number): number | null {
    const changes = this.#changesOf(account);
    const inForce = changes.filter(
      ({ change }) => !('until' in change) || change.until === null || this.now < change.until,
    );
    // Only the latest change of each kind is looked at, even when its time is over.
    const latest = (type: Adjustment['type']) => {
      const last = changes.findLast(({ change }) => change.type === type);
      return last !== undefined && inForce.includes(last) ? last.change : undefined;
    };
    const replaced = latest('limit');
    const base = replaced?.type === 'limit' ? replaced.limit : account.limit;
    if (base === null) return null;
    const raise = latest('limit-add');
    const topUps = changes.map(({ change, at }) =>
      change.type === 'top-up' && this.#counts(account, at, time, true) ? change.amount : 0,
    );
    return base + (raise?.type === 'limit-add' ? raise.amount : 0) + sum(topUps);
  }

  committed(account: ModelAccount, time: number): number {
    const charges = this.#charges.filter(
      (charge) =>
        charge.account === account &&
        !charge.isForgiven &&
        this.#counts(account, charge.time, time),
    );
    return sum(charges.map(({ amount }) => amount));
  }

  held(account: ModelAccount, time: number): number {
    const goesAlong = account.attribute === 'settle' || isRolling(account);
    const open = [...this.#reservations.values()].filter(
      ({ state, admittedAt }) =>
        state === 'open' && (goesAlong || this.#counts(account, admittedAt, time)),
    );
    return sum(open.map(({ holds }) => holds.get(account) ?? 0));
  }

  #changesOf(account: ModelAccount) {
    return this.#adjustments.filter((adjustment) => adjustment.account === account);
  }

  #charge(account: ModelAccount, time: number, amount: number): ModelCharge {
    const charge = { account, time, amount, isForgiven: false };
    this.#charges.push(charge);
    return charge;
  }

  /** Whether what was done at a time counts in the window of another. */
  #counts(account: ModelAccount, done: number, time: number, isTopUp = false): boolean {
    const { span } = account;
    if (span === 'total') return true;
    if ('fixed' in span) return floor(done, span.fixed) === floor(time, span.fixed);
    return isTopUp || floor(done, span.slot) >= floor(time - span.rolling, span.slot);
  }

  #refusal(account: ModelAccount, requested: number, time: number, own: number): ModelRefusal[] {
    const limit = this.limit(account, time);
    const committed = this.committed(account, time);
    const held = this.held(account, time) - own;
    const figures = { account: account.key, limit, committed, held, requested };
    if (this.isBlocked(account)) return [{ ...figures, kind: 'blocked', retryAfterMs: null }];
    if (limit === null) return [];
    const question = { spent: committed, held, pending: requested, now: time };
    const { allowed, kind = '', retryAfterMs } = this.#policy(account, limit).check(question);
    if (allowed) return [];
    if (retryAfterMs === null) return [{ ...figures, kind, retryAfterMs }];
    const wait = isRolling(account)
      ? this.#opensIn(account, limit, requested)
      : Math.max(0, time + retryAfterMs - this.now);
    return [{ ...figures, kind, retryAfterMs: wait }];
  }

  /** Ms until enough has left a rolling window. */
  #opensIn(account: ModelAccount, limit: number, requested: number): number | null {
    const span = account.span as { rolling: number; slot: number };
    const leaves = this.#charges.map(
      ({ time }) => floor(time, span.slot) + span.slot + span.rolling,
    );
    const fits = leaves.filter((time) => {
      const committed = this.committed(account, time);
      return time > this.now && committed < limit && committed + requested <= limit;
    });
    return fits.length === 0 ? null : Math.min(...fits) - this.now;
  }

  #policy(account: ModelAccount, limit: number): WindowedSpendBudgetPolicy {
    const key = `${account.key} ${limit}`;
    const known = this.#policies.get(key);
    if (known !== undefined) return known;
    const made = new WindowedSpendBudgetPolicy({ limit, window: account.spec });
    this.#policies.set(key, made);
    return made;
  }
}

function isRolling({ span }: ModelAccount): boolean {
  return span !== 'total' && 'rolling' in span;
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}
