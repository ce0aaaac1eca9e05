import { type AdmissionPlan, heldInMoney } from './admission.ts';
import {
  type CallAdmission,
  callOf,
  type RefusedAnswer,
  type Reservation,
} from './call-admission.ts';
import type { BookedCall, BookKeeping } from './call-books.ts';
import { type Denial, denialOf } from './denial.ts';
import { InvalidArgumentError } from './errors.ts';
import { HeadroomQueue } from './headroom-queue.ts';
import { smallerPlan } from './smaller-plan.ts';

/** How often other calls may get in between asking what is left and taking it. */
const MAX_ATTEMPTS = 4;

/** What becomes of calls that the sink has refused: they are made smaller, wait, or are denied. */
export class RefusedCalls {
  readonly #keeping: BookKeeping;
  readonly #admission: CallAdmission;
  readonly #queue: HeadroomQueue = new HeadroomQueue();

  constructor(keeping: BookKeeping, admission: CallAdmission) {
    this.#keeping = keeping;
    this.#admission = admission;
    const { onEnd } = keeping;
    keeping.onEnd = (accounts) => {
      onEnd?.(accounts);
      this.#queue.freed(accounts);
    };
  }

  async refused(
    answer: RefusedAnswer,
    call: BookedCall,
    plan: AdmissionPlan,
    attempt: number,
  ): Promise<Reservation> {
    const { request, price, id } = call;
    let denial = denialOf(answer.refusals);
    if (request.minOutputTokens !== undefined && attempt < MAX_ATTEMPTS) {
      const smaller = smallerPlan(request, plan, price, answer.refusals);
      const less =
        smaller && (await this.#admission.admit(heldFor(call, smaller), smaller, attempt + 1));
      if (less?.admitted) return less;
      denial = less?.denial ?? denial;
    }
    // Whoever asked for less, or again, knows what to do next.
    if (attempt > 1 || this.#queue.has(id)) return { admitted: false, denial };
    const waitMs = request.waitForHeadroomMs ?? this.#keeping.waitMs;
    if (waitMs === 0 || !denial.retryable) return this.#denied(denial, call, answer.at);
    const reservation = await this.#queue.wait({
      id,
      accounts: call.accounts.map(({ key }) => key),
      ...checkedWait(waitMs, request.priority),
      denial,
      ask: async () => this.#admission.admit(call, plan),
    });
    return reservation.admitted ? reservation : this.#denied(reservation.denial, call, answer.at);
  }

  #denied(denial: Denial, call: BookedCall, at: number): Reservation {
    const { events } = this.#keeping;
    if (events.heard) events.emit({ type: 'denied', denial, ...callOf(call, { at }) });
    return { admitted: false, denial };
  }
}

/** @throws InvalidArgumentError for what is no time, or no number. */
function checkedWait(waitMs: number, priority = 0): { waitMs: number; priority: number } {
  if (Number.isFinite(priority) && Number.isSafeInteger(waitMs) && waitMs > 0 && waitMs < 2 ** 31) {
    return { waitMs, priority };
  }
  throw new InvalidArgumentError(
    `\`waitForHeadroomMs\` is a whole number of ms, and \`priority\` a number; these are ${waitMs} ` +
      `and ${priority}.`,
  );
}

function heldFor(call: BookedCall, plan: AdmissionPlan): BookedCall {
  return { ...call, heldNanoUsd: heldInMoney(plan) };
}
