import type { Denial } from './denial.ts';
import type { EndingAnswer } from './ending-answer.ts';
import type { Identity } from './identity.ts';
import { costOfSettlement } from './settlement-cost.ts';
import type { Queued } from './unsent-settlements.ts';
import type {
  Charge,
  Outcome,
  Overshoot,
  SettleAnswer,
  SettleRequest,
  SinkNotice,
} from './usage-sink.ts';

/** Whose settlement it was. */
interface SettledCall {
  readonly id: string;
  readonly identity: Identity;
  readonly request: { readonly provider: string; readonly model: string };
}

export interface CallEvent {
  /** Id of the reservation; of a denied call, the id it would have had. */
  readonly id: string;
  readonly identity: Identity;
  readonly provider: string;
  readonly model: string;
  /** The sink's clock, in ms since the epoch. */
  readonly at: number;
}

interface UnsentEvent {
  /** Id of the reservation. */
  readonly id: string;
  readonly operation: 'settle' | 'release';
}

/** A settlement that nobody sends any more, with what it would have charged to which accounts. */
export interface LostSettlement extends UnsentEvent {
  readonly charges: SettleRequest['charges'];
}

/** What the guard reports to `onEvent`, in the order in which it happens. */
export type GuardEvent =
  | (CallEvent & {
      readonly type: 'reserved';
      readonly admittedOutputTokens: number | null;
      readonly heldNanoUsd: number | null;
    })
  | (CallEvent & { readonly type: 'denied'; readonly denial: Denial })
  /** The sink is away, and all budgets of the call have `onSinkError: 'allow'`. */
  | (CallEvent & { readonly type: 'admitted-without-sink' })
  /** What budgets in `mode: 'shadow'` would have refused; told once for each call. */
  | (CallEvent & { readonly type: 'would-deny'; readonly denial: Denial })
  | (CallEvent & {
      readonly type: 'settled';
      readonly outcome: Outcome;
      readonly costNanoUsd: number | null;
      readonly charges: readonly Charge[];
    })
  | (CallEvent & { readonly type: 'overshoot'; readonly overshoot: readonly Overshoot[] })
  /** The sink gave no answer; the guard tells it again until it does. */
  | (UnsentEvent & {
      readonly type: 'settlement-queued';
      readonly error: unknown;
      /** How many wait now. */
      readonly unsent: number;
    })
  /** The sink has answered one that had been queued. What it charged follows as `settled`. */
  | (UnsentEvent & {
      readonly type: 'settlement-sent';
      readonly status: EndingAnswer['status'];
      readonly at: number;
    })
  /** Nobody sends these any more: their holds are charged when they expire. */
  | {
      readonly type: 'settlements-lost';
      /**
       * `refused`: the sink answered with an error that would come again; a journal keeps it for the
       * next start. For the other reasons, what a journal keeps is not lost, and not told.
       */
      readonly reason: 'queue-full' | 'closed' | 'exit' | 'refused';
      readonly settlements: readonly LostSettlement[];
      readonly error?: unknown;
    }
  /** So many settlements of an earlier process are being sent now; each shows as `settlement-sent`. */
  | { readonly type: 'journal-replayed'; readonly path: string; readonly settlements: number }
  /** Lines of a journal that say nothing any more. They were moved to the file beside. */
  | {
      readonly type: 'journal-damaged';
      readonly path: string;
      readonly lines: number;
      readonly keptIn: string;
    }
  /** A settlement that is not in the journal; without an id, a mark that is missing in it. */
  | {
      readonly type: 'journal-failed';
      readonly path: string;
      readonly id?: string;
      readonly error: unknown;
    }
  /** A limit that is kept elsewhere could not be had: `onError` says what becomes of the call. */
  | {
      readonly type: 'limit-unavailable';
      readonly budget: string;
      readonly account: string;
      readonly error: unknown;
      /** On the guard's clock, in ms since the epoch. */
      readonly at: number;
    }
  | { readonly type: 'sink-unavailable'; readonly operation: string; readonly error: unknown }
  | SinkNotice;

function logFailure(error: unknown): void {
  console.error('hardcap: onEvent threw', error);
}

/** Hands events to a listener. What the listener throws reaches nobody's call. */
export class EventPort {
  readonly #listener: ((event: GuardEvent) => void) | undefined;

  constructor(listener: ((event: GuardEvent) => void) | undefined) {
    this.#listener = listener;
  }

  /** Whether anybody listens: an event that nobody hears need not be built. */
  get heard(): boolean {
    return this.#listener !== undefined;
  }

  emit(event: GuardEvent): void {
    if (this.#listener === undefined) return;
    try {
      // An async function is taken for a listener too, and nobody else would see it reject.
      const done: unknown = this.#listener(event);
      if (done instanceof Promise) done.catch(logFailure);
    } catch (error) {
      logFailure(error);
    }
  }

  emitAll(events: readonly GuardEvent[]): void {
    if (events.length > 0) for (const event of events) this.emit(event);
  }

  /** What a settlement came to, and what the sink came upon on the way. */
  settled(
    { id, identity, request }: SettledCall,
    outcome: Outcome,
    reckoned: number | null,
    answer: SettleAnswer | Queued,
  ): void {
    const { provider, model } = request;
    const call = { id, identity, provider, model, at: answer.at };
    if ('charged' in answer) {
      const costNanoUsd = costOfSettlement(reckoned, answer);
      this.emit({ type: 'settled', ...call, outcome, costNanoUsd, charges: answer.charged });
      const { overshoot } = answer;
      if (overshoot.length > 0) this.emit({ type: 'overshoot', ...call, overshoot });
    }
    this.emitAll(answer.notices);
  }
}
