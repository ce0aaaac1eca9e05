import type { AdmissionPlan } from './admission.ts';
import { type Awaitable, isPending } from './awaitable.ts';
import type { BoundAccount } from './bound-budgets.ts';
import type { Asked } from './call-admission.ts';
import { settledDetails } from './call-details.ts';
import type { CallPrice } from './call-price.ts';
import type { CallRequest } from './call-request.ts';
import { ceilingCost } from './cost.ts';
import type { EventPort } from './event.ts';
import type { Identity } from './identity.ts';
import type { CallEnd, SettleResult } from './settlement.ts';
import { costOfSettlement } from './settlement-cost.ts';
import { figuresOf, type SettlementFigures, settledAmount } from './settlement-figures.ts';
import type { SinkPort } from './sink-port.ts';
import type { Queued } from './unsent-settlements.ts';
import { inputTokensOf, outputTokensOf, type TokenUsage } from './usage.ts';
import type {
  AccountReading,
  Claim,
  ExtendAnswer,
  Outcome,
  Overshoot,
  SettleAnswer,
  SettleRequest,
} from './usage-sink.ts';

type AskedCharge = SettleRequest['charges'][number];

const NO_OVERSHOOT: readonly Overshoot[] = [];

/** What all calls of a guard share. */
export interface BookKeeping {
  readonly sink: SinkPort;
  readonly events: EventPort;
  readonly ttlMs: number;
  /** How long a refused call waits, where it says nothing else, in ms. */
  readonly waitMs: number;
  /** Told of the accounts that a call has given back to. */
  onEnd: ((accounts: readonly BoundAccount[]) => void) | null;
  /** What becomes of a call that others wait before; undefined where none does. */
  lineUp?: (call: BookedCall, plan: AdmissionPlan) => Promise<Asked> | undefined;
}

/** What the books need to know of a call. */
export interface BookedCall {
  readonly id: string;
  readonly request: CallRequest;
  readonly identity: Identity;
  readonly accounts: readonly BoundAccount[];
  readonly price: CallPrice;
  /** What was held in money at first; null when no budget of the call is in USD. */
  readonly heldNanoUsd: number | null;
  /** On the guard's clock, in ms since the epoch. */
  readonly startedAt: number;
}

/** One call's side of the sink: turns what became of the call into charges, an entry and events. */
export class CallBooks {
  readonly #keeping: BookKeeping;
  readonly #call: BookedCall;

  constructor(keeping: BookKeeping, call: BookedCall) {
    this.#keeping = keeping;
    this.#call = call;
  }

  get id(): string {
    return this.#call.id;
  }

  async extend(claims: readonly Claim[]): Promise<ExtendAnswer> {
    const { sink, events, ttlMs } = this.#keeping;
    const answer = await sink.extend({ id: this.#call.id, claims, ttlMs });
    events.emitAll(answer.notices);
    return answer;
  }

  /** The figures of its accounts. */
  read(): Promise<readonly AccountReading[]> {
    return this.#keeping.sink.ask('read', (sink) => sink.read(this.#call.accounts));
  }

  settle(end: CallEnd): Awaitable<SettleResult> {
    const { id, accounts, price } = this.#call;
    const { outcome } = end;
    const figures = figuresOf(end, price);
    const charges = new Array<AskedCharge>(accounts.length);
    for (let place = 0; place < charges.length; place += 1) {
      const account = accounts[place] as BoundAccount;
      charges[place] = { account: account.key, amount: settledAmount(account, end, figures) };
    }
    const details = settledDetails(this.#call, end, figures);
    const answer = this.#keeping.sink.settle({ id, outcome, charges, details });
    return isPending(answer)
      ? this.#settledLater(answer, outcome, figures)
      : this.#settled(answer, outcome, figures);
  }

  async release(): Promise<SettleResult> {
    const { sink, events } = this.#keeping;
    const { id, accounts } = this.#call;
    const charges = accounts.map(({ key }) => ({ account: key, amount: 0 }));
    const answer = await sink.release({ id, charges });
    events.emitAll(answer.notices);
    // What an expiry has charged for it is taken back by a settlement alone.
    if ('first' in answer && answer.first === 'expired')
      return this.settle({ outcome: 'not-sent' });
    this.#keeping.onEnd?.(accounts);
    const status = answer.status === 'released' ? 'settled' : answer.status;
    return { status, costNanoUsd: 0, overshoot: NO_OVERSHOOT };
  }

  /**
   * Nano-USD of metered usage; undefined without a price. What is a bound counts at the dearest rate:
   * the input, where that is one, output that may include reasoning, and all where it is not known
   * which model answered.
   */
  meteredCost(usage: TokenUsage, inputIsBound: boolean): number | undefined {
    const { price, request } = this.#call;
    const { rates } = price;
    const isBound = inputIsBound || !!request.fallbackModels?.length;
    if (rates === null || (!isBound && usage.reasoning === 0)) return price.costOf(usage);
    const output = outputTokensOf(usage);
    if (isBound) return ceilingCost(rates, inputTokensOf(usage), output);
    const input = price.costOf({ ...usage, output: 0, reasoning: 0 });
    return input === undefined ? undefined : input + ceilingCost(rates, 0, output);
  }

  #settled(
    answer: SettleAnswer | Queued,
    outcome: Outcome,
    figures: SettlementFigures,
  ): SettleResult {
    const costNanoUsd = costOfSettlement(figures.costNanoUsd, answer);
    const { events, onEnd } = this.#keeping;
    onEnd?.(this.#call.accounts);
    if (events.heard) events.settled(this.#call, outcome, costNanoUsd, answer);
    const overshoot = 'overshoot' in answer ? answer.overshoot : NO_OVERSHOOT;
    return { status: answer.status, costNanoUsd, overshoot };
  }

  async #settledLater(
    answer: PromiseLike<SettleAnswer | Queued>,
    outcome: Outcome,
    figures: SettlementFigures,
  ): Promise<SettleResult> {
    return this.#settled(await answer, outcome, figures);
  }
}
