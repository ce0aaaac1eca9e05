import type { Asked, Refused } from './call-admission.ts';
import type { Denial } from './denial.ts';
import type { Account } from './usage-sink.ts';

/** The most calls that wait; one more is denied at once. */
const MAX_WAITING = 1_000;
/** How often it is looked for what calls of other processes have given back, in ms. */
const POLL_MS = 500;

/** A call that is refused for what open calls hold, or that comes after such a one. */
export interface WaitingCall {
  readonly id: string;
  /** Keys of its accounts. */
  readonly accounts: readonly string[];
  /** Of several calls, that with the highest is asked for first; of equals, the oldest. */
  readonly priority: number;
  readonly waitMs: number;
  /** How it was refused; null where it was not asked for yet. */
  readonly refused: Refused | null;
  /** Asks for it again. */
  readonly ask: () => Promise<Asked>;
}

interface Waiter extends WaitingCall {
  latest: Refused | null;
  isAsked: boolean;
  isOver: boolean;
  readonly end: (outcome: Asked | Promise<never>) => void;
}

/**
 * Calls that wait until open ones settle. Those with an account of a call that has settled are asked
 * for again, in their order and one at a time; where an account refuses one, the others that need it
 * are not asked for, so that a small call takes nothing from a large one before it.
 */
export class HeadroomQueue {
  readonly #waiting: Map<string, Waiter> = new Map();
  readonly #freed: Set<string> = new Set();
  #isServing = false;
  #poll: unknown = null;

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  get hasRoom(): boolean {
    return this.#waiting.size < MAX_WAITING;
  }

  /** Whether a call that is ready to wait has to: an account of it refuses one that comes first. */
  isBehind({ accounts, priority }: Pick<WaitingCall, 'accounts' | 'priority'>): boolean {
    for (const waiter of this.#waiting.values()) {
      if (waiter.priority < priority) continue;
      const refusals = waiter.latest?.denial.refusals ?? [];
      if (refusals.some(({ account }) => accounts.includes(account))) return true;
    }
    return false;
  }

  /** What becomes of a call: it is admitted, or denied when its time is up or waiting is in vain. */
  wait(call: WaitingCall): Promise<Asked> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#timeIsUp(waiter), call.waitMs);
      const end = (outcome: Asked | Promise<never>): void => {
        clearTimeout(timer);
        this.#waiting.delete(call.id);
        if (this.#waiting.size === 0) this.#stopPolling();
        resolve(outcome);
      };
      const waiter = { ...call, latest: call.refused, isAsked: false, isOver: false, end };
      this.#waiting.set(call.id, waiter);
      this.#poll ??= setInterval(() => this.#lookAround(), POLL_MS);
    });
  }

  /** These hold less now. */
  freed(accounts: readonly Account[]): void {
    if (this.#waiting.size > 0) this.#look(accounts.map(({ key }) => key));
  }

  #lookAround(): void {
    this.#look([...this.#waiting.values()].flatMap(({ accounts }) => accounts));
  }

  #look(accounts: readonly string[]): void {
    for (const key of accounts) this.#freed.add(key);
    if (!this.#isServing) void this.#serve();
  }

  async #serve(): Promise<void> {
    this.#isServing = true;
    while (this.#freed.size > 0) {
      const freed = new Set(this.#freed);
      this.#freed.clear();
      const full = new Set<string>();
      for (const waiter of this.#inOrder()) {
        const { accounts } = waiter;
        if (waiter.isOver || !accounts.some((key) => freed.has(key))) continue;
        if (accounts.some((key) => full.has(key))) continue;
        for (const { account } of await this.#ask(waiter)) full.add(account);
      }
    }
    this.#isServing = false;
  }

  /** Who refused; nobody where the call has ended its wait. */
  async #ask(waiter: Waiter): Promise<Denial['refusals']> {
    waiter.isAsked = true;
    try {
      const answer = await waiter.ask();
      if (!answer.admitted && answer.denial.retryable && !waiter.isOver) {
        waiter.latest = answer;
        return answer.denial.refusals;
      }
      waiter.end(answer);
    } catch (error) {
      waiter.end(Promise.reject(error));
    } finally {
      waiter.isAsked = false;
    }
    return [];
  }

  #inOrder(): Waiter[] {
    return [...this.#waiting.values()].sort((one, other) => other.priority - one.priority);
  }

  #timeIsUp(waiter: Waiter): void {
    waiter.isOver = true;
    // One that is being asked for may yet be admitted; one that never was is, once.
    if (waiter.isAsked) return;
    if (waiter.latest === null) void this.#ask(waiter);
    else waiter.end(waiter.latest);
    // Who has waited behind it, and was never asked for, may have its turn.
    const isBehind = ({ latest }: Waiter): boolean => latest === null;
    if ([...this.#waiting.values()].some(isBehind)) this.#look(waiter.accounts);
  }

  #stopPolling(): void {
    clearInterval(this.#poll as never);
    this.#poll = null;
  }
}
