import {
  type CallRequest,
  formatUsd,
  HardcapError,
  type Refusal,
  type Reservation,
  type Settlement,
  type SpendCall,
  toHttpResponse,
} from '@hardcap/core';
import { expect } from 'vitest';
import type { TestStore } from './stores.ts';
import { startWorker, type Worker } from './worker.ts';

/** The ancestor as a configuration: whole money, per key, a soft warning, and a default price. */
export const BUDGET_GUARD = `
budgets:
  - name: guard
    per: [apiKey]
    limit: { usd: "1.00" }
    window: { calendar: day }
    warnAt: [0.8]
    attribute: settle
prices:
  overrides:
    acme/large: { input: "1", output: "10" }
  unknownModel:
    ceiling: { input: "10", output: "100" }
timeoutMs: 300
`;

export const API_KEY = 'sk-live-of-the-caller';
/** Of one output token of `acme/large`, in nano-USD. */
const OUTPUT_NANO_USD = 10_000;
export const TTL_MS = 120_000;

/** A call that may cost so much. @param usd such as '0.40' */
export function callOf(usd: string, others: Partial<CallRequest> = {}): CallRequest {
  const maxOutputTokens = (Number(usd) * 1e9) / OUTPUT_NANO_USD;
  const identity = { apiKey: API_KEY };
  return { identity, provider: 'acme', model: 'large', inputTokens: 0, maxOutputTokens, ...others };
}

export function costing(usd: string): Settlement {
  return { outcome: 'known', costNanoUsd: Math.round(Number(usd) * 1e9) };
}

/** One worker on a store, whose steps are written down as they went. */
export class BudgetGuardScene {
  readonly store: TestStore;
  readonly worker: Worker;
  /** Such as `asks for $0.40: admitted`. */
  readonly steps: string[] = [];

  constructor(store: TestStore, config: string = BUDGET_GUARD) {
    this.store = store;
    this.worker = startWorker(store, config, { reservationTtlMs: TTL_MS });
  }

  get guard(): Worker['guard'] {
    return this.worker.guard;
  }

  /** Asks for a call, which is admitted or refused. */
  async ask(usd: string, others?: Partial<CallRequest>): Promise<Reservation> {
    const reservation = await this.guard.reserve(callOf(usd, others));
    this.steps.push(`asks for $${usd}: ${answerOf(reservation)}`);
    return reservation;
  }

  /** Asks for a call that fits. */
  async open(usd: string, others?: Partial<CallRequest>): Promise<SpendCall> {
    const reservation = await this.ask(usd, others);
    if (!reservation.admitted) throw new Error(`$${usd} was refused`);
    return reservation.call;
  }

  async settle(call: SpendCall, what: string, settlement: Settlement): Promise<void> {
    const { status, overshoot } = await call.settle(settlement);
    const over = overshoot.map(({ amount }) => `, ${formatUsd(amount)} too much`);
    this.steps.push(`${what}: ${status}${over.join('')}`);
  }

  /** Something that a fault of the store or of the policy keeps from happening. */
  async fail(what: string, make: () => PromiseLike<unknown>): Promise<void> {
    try {
      await make();
    } catch (error) {
      if (!HardcapError.isInstance(error)) throw error;
      this.steps.push(`${what}: ${error.code}, ${toHttpResponse(error).status}`);
      return;
    }
    throw new Error(`${what} went through`);
  }

  /** Writes down what the account has. */
  async look(when: string): Promise<void> {
    const { spent, held } = await this.figures();
    this.steps.push(`${when}: ${spent} spent, ${held} held`);
  }

  /** Writes down what may be spent, and what of it the day before has left. */
  async limits(when: string): Promise<void> {
    const [account] = await this.guard.status({ apiKey: API_KEY });
    const { limit = 0, rollover = 0 } = account ?? {};
    this.steps.push(
      `${when}: a limit of ${formatUsd(limit ?? 0)}, ${formatUsd(rollover)} of it left`,
    );
  }

  /** A request that was given up may still be carried out, and is taken back then. */
  async untilNothingIsHeld(): Promise<void> {
    const held = () => this.figures().then((figures) => figures.held, String);
    await expect.poll(held, { timeout: 5_000 }).toBe('$0.00');
  }

  /** What the account has, by books that are right. */
  async figures(): Promise<{ readonly spent: string; readonly held: string }> {
    const [account] = await this.guard.status({ apiKey: API_KEY });
    const { differences } = await this.guard.verify();
    if (account === undefined || differences.length > 0) {
      throw new Error(`the books are wrong: ${JSON.stringify(differences)}`);
    }
    return { spent: formatUsd(account.committed), held: formatUsd(account.held) };
  }
}

function answerOf(reservation: Reservation): string {
  if (reservation.admitted) return 'admitted';
  const { refusals } = reservation.denial;
  return `refused, ${refusals.map(refusalText).join(' and ')}`;
}

function refusalText({ budget, kind }: Refusal): string {
  return budget === 'guard' ? kind : `${kind} by ${budget}`;
}
