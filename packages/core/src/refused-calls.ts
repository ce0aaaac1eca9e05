import { type AdmissionPlan, heldInMoney } from './admission.ts';
import {
  type Asked,
  type CallAdmission,
  callOf,
  type Refused,
  type RefusedAnswer,
} from './call-admission.ts';
import type { BookedCall, BookKeeping } from './call-books.ts';
import { denialOf } from './denial.ts';
import { InvalidArgumentError } from './errors.ts';
import { HeadroomQueue, type WaitingCall } from './headroom-queue.ts';
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
    keeping.lineUp = (call, plan) => this.#lineUp(call, plan);
  }

  /** What becomes of a refusal; whoever asked for less, or again, knows what to do next. */
  async refused(
    answer: RefusedAnswer,
    call: BookedCall,
    plan: AdmissionPlan,
    attempt: number,
  ): Promise<Asked> {
    const { request, price, id } = call;
    const { at } = answer;
    if (answer.isDoubtful) this.#doubtful.set(id, true);
    let denial = denialOf(answer.refusals);
    if (request.minOutputTokens !== undefined && attempt < MAX_ATTEMPTS) {
      const smaller = smallerPlan(request, plan, price, answer.refusals);
      const less = smaller && (await this.#askFor(heldFor(call, smaller), smaller, attempt + 1));
      if (less?.admitted) return less;
      denial = less?.denial ?? denial;
    }
    const refused = { admitted: false, denial, at } as const;
    if (attempt > 1) return refused;
    const wait = this.#waitOf(call);
    if (wait === undefined || !denial.retryable || !this.#queue.hasRoom) {
      return this.#denied(call, refused);
    }
    return this.#waited(call, plan, wait, refused);
  }

  /** Has a call wait before it is asked for, if others wait for the same that come first. */
  #lineUp(call: BookedCall, plan: AdmissionPlan): Promise<Asked> | undefined {
    const wait = this.#queue.isEmpty ? undefined : this.#waitOf(call);
    if (wait === undefined || !this.#queue.hasRoom || !this.#queue.isBehind(wait)) return undefined;
    return this.#waited(call, plan, wait, null);
  }

  async #waited(
    call: BookedCall,
    plan: AdmissionPlan,
    wait: Wait,
    refused: Refused | null,
  ): Promise<Asked> {
    const ask = (): Promise<Asked> => this.#askFor(call, plan, 2);
    const asked = await this.#queue.wait({ id: call.id, ...wait, refused, ask });
    return asked.admitted ? asked : this.#denied(call, asked);
  }

  /**
   * How a call waits; undefined where it does not.
   *
   * @throws InvalidArgumentError for what is no time, or no number.
   */
  #waitOf({ request, accounts }: BookedCall): Wait | undefined {
    const { waitForHeadroomMs: waitMs = this.#keeping.waitMs, priority = 0 } = request;
    if (waitMs === 0) return undefined;
    return { accounts: accounts.map(({ key }) => key), ...checkedWait(waitMs, priority) };
  }

  /** Asks under the id of the call, unless that would be given back with what it may have held before. */
  async #askFor(call: BookedCall, plan: AdmissionPlan, attempt: number): Promise<Asked> {
    if (!this.#doubtful.get(call.id)) return this.#admission.admit(call, plan, attempt);
    this.#renamed += 1;
    const id = `${call.id}~${this.#renamed.toString(36)}`;
    return this.#admission.admit({ ...call, id }, plan, attempt);
  }

  #denied(call: BookedCall, { denial, at = call.startedAt }: Refused): Asked {
    const { events } = this.#keeping;
    if (events.heard) events.emit({ type: 'denied', denial, ...callOf(call, { at }) });
    return { admitted: false, denial };
  }
}

type Wait = Pick<WaitingCall, 'accounts' | 'priority' | 'waitMs'>;

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
