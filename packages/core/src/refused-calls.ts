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
import { RecentMap } from './recent-map.ts';
import { smallerPlan } from './smaller-plan.ts';

/** How often other calls may get in between asking what is left and taking it. */
const MAX_ATTEMPTS = 4;
/** How many ids are remembered that are of no use any more, at least. */
const REMEMBERED = 10_000;

/** What becomes of calls that the sink has refused: they are made smaller, wait, or are denied. */
export class RefusedCalls {
  readonly #keeping: BookKeeping;
  readonly #admission: CallAdmission;
  readonly #queue: HeadroomQueue = new HeadroomQueue();
  /** Ids under which the sink may hold something that is being given back. */
  readonly #doubtful: RecentMap<true> = new RecentMap(REMEMBERED);
  #renamed = 0;

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
    if (answer.isDoubtful) this.#doubtful.set(id, true);
    let denial = denialOf(answer.refusals);
    if (request.minOutputTokens !== undefined && attempt < MAX_ATTEMPTS) {
      const smaller = smallerPlan(request, plan, price, answer.refusals);
      const less = smaller && (await this.#askFor(heldFor(call, smaller), smaller, attempt + 1));
      if (less?.admitted) return less;
      denial = less?.denial ?? denial;
    }
    // Whoever asked for less, or again, knows what to do next.
    if (attempt > 1) return { admitted: false, denial };
    const waitMs = request.waitForHeadroomMs ?? this.#keeping.waitMs;
    if (waitMs === 0 || !denial.retryable) return this.#denied(denial, call, answer.at);
    const reservation = await this.#queue.wait({
      id,
      accounts: call.accounts.map(({ key }) => key),
      ...checkedWait(waitMs, request.priority),
      denial,
      ask: () => this.#askFor(call, plan, 2),
    });
    return reservation.admitted ? reservation : this.#denied(reservation.denial, call, answer.at);
  }

  /** Asks under the id of the call, unless that would be given back with what it may have held before. */
  async #askFor(call: BookedCall, plan: AdmissionPlan, attempt: number): Promise<Reservation> {
    if (!this.#doubtful.get(call.id)) return this.#admission.admit(call, plan, attempt);
    this.#renamed += 1;
    const id = `${call.id}~${this.#renamed.toString(36)}`;
    return this.#admission.admit({ ...call, id }, plan, attempt);
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
