import type { AdmissionPlan } from './admission.ts';
import { type Awaitable, isPending } from './awaitable.ts';
import { type BookedCall, type BookKeeping, CallBooks } from './call-books.ts';
import { openDetails } from './call-details.ts';
import type { Denial } from './denial.ts';
import type { Heartbeat } from './heartbeat.ts';
import type { Identity } from './identity.ts';
import type { RefusedCalls } from './refused-calls.ts';
import { SpendCall } from './spend-call.ts';
import type { ReserveAnswer } from './usage-sink.ts';

/** What the guard answers to a reservation: a call to make, or who refused it and when to try again. */
export type Reservation =
  | { readonly admitted: true; readonly call: SpendCall }
  | { readonly admitted: false; readonly denial: Denial };

/** The same where it is asked for by those who may go on asking: when it was refused, by the sink's clock. */
export type Asked = Extract<Reservation, { admitted: true }> | Refused;

export interface Refused {
  readonly admitted: false;
  readonly denial: Denial;
  readonly at?: number;
}

/** Asks the sink for what a plan holds, and makes the call or the denial that comes of it. */
export class CallAdmission {
  readonly #keeping: BookKeeping;
  readonly #heartbeat: Heartbeat;
  readonly #onEnd: (call: SpendCall) => void;
  #refusals: Promise<RefusedCalls> | null = null;

  /** @param heartbeat keeps the calls alive that were admitted. */
  constructor(keeping: BookKeeping, heartbeat: Heartbeat) {
    this.#keeping = keeping;
    this.#heartbeat = heartbeat;
    this.#onEnd = (call) => heartbeat.delete(call);
  }

  admit(call: BookedCall, plan: AdmissionPlan, attempt = 1): Awaitable<Asked> {
    const { sink, ttlMs, lineUp } = this.#keeping;
    const waiting = attempt === 1 && lineUp?.(call, plan);
    if (waiting) return waiting;
    const { id } = call;
    const { claims } = plan;
    const answer = sink.reserve({ id, claims, ttlMs, details: () => openDetails(call) });
    return isPending(answer)
      ? this.#decidedLater(answer, call, plan, attempt)
      : this.#decided(answer, call, plan, attempt);
  }

  async #decidedLater(
    answer: PromiseLike<ReserveAnswer>,
    call: BookedCall,
    plan: AdmissionPlan,
    attempt: number,
  ): Promise<Asked> {
    return this.#decided(await answer, call, plan, attempt);
  }

  #decided(
    answer: ReserveAnswer,
    call: BookedCall,
    plan: AdmissionPlan,
    attempt: number,
  ): Awaitable<Asked> {
    this.#keeping.events.emitAll(answer.notices);
    if (answer.admitted) return { admitted: true, call: this.#open(call, plan, answer) };
    return this.#refused(answer, call, plan, attempt);
  }

  async #refused(
    answer: RefusedAnswer,
    call: BookedCall,
    plan: AdmissionPlan,
    attempt: number,
  ): Promise<Asked> {
    this.#refusals ??= import('./on-demand.ts').then(
      ({ RefusedCalls }) => new RefusedCalls(this.#keeping, this),
    );
    const refusals = await this.#refusals.catch(() => null);
    if (refusals !== null) return refusals.refused(answer, call, plan, attempt);
    // Its code cannot be loaded, as after the files of a running process were replaced.
    const denial = { refusals: answer.refusals, retryable: false, retryAfterMs: null };
    this.#keeping.events.emit({ type: 'denied', denial, ...callOf(call, answer) });
    return { admitted: false, denial };
  }

  #open(booked: BookedCall, plan: AdmissionPlan, answer: ReserveAnswer): SpendCall {
    const books = new CallBooks(this.#keeping, booked);
    const call = new SpendCall(booked, plan, books, this.#onEnd);
    this.#heartbeat.add(call);
    const { events } = this.#keeping;
    if (events.heard) {
      const { heldNanoUsd } = booked;
      const { admittedOutputTokens } = call;
      const figures = { heldNanoUsd, admittedOutputTokens };
      events.emit({ type: 'reserved', ...figures, ...callOf(booked, answer) });
    }
    return call;
  }
}

export type RefusedAnswer = Extract<ReserveAnswer, { admitted: false }> & {
  /** The sink was asked and did not answer: what it may hold under the id is being given back. */
  readonly isDoubtful?: true;
};

/** Whose event it is. */
export function callOf(
  { id, identity, request }: BookedCall,
  { at }: Pick<ReserveAnswer, 'at'>,
): { id: string; identity: Identity; provider: string; model: string; at: number } {
  return { id, identity, provider: request.provider, model: request.model, at };
}
