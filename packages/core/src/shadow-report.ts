import type { CallDetails } from './call-details.ts';
import { denialOf, type Refusal } from './denial.ts';
import type { CallEvent, EventPort } from './event.ts';
import { RecentMap } from './recent-map.ts';
import { isRefused } from './shadow-refusals.ts';
import type { Claim, ReserveRequest } from './usage-sink.ts';

/** Open calls on shadow accounts that are known by name, if they are later refused more. */
const REMEMBERED = 10_000;

type Caller = Omit<CallEvent, 'at' | 'id'>;

/** Tells once for each call what shadow accounts would have refused. */
export class ShadowReport {
  readonly #events: EventPort;
  readonly #untold: RecentMap<Caller | null> = new RecentMap(REMEMBERED);

  constructor(events: EventPort) {
    this.#events = events;
  }

  reserved(request: ReserveRequest, refusals: readonly Refusal[], at: number): void {
    if (!request.claims.some(isInShadow)) return;
    const details = request.details?.() as CallDetails | undefined;
    const { identity = {}, provider = '', model = '' } = details ?? {};
    // The same call is asked for again where it is made smaller.
    if (this.#untold.get(request.id) === null) return;
    this.#untold.set(request.id, { identity, provider, model });
    this.tell(request.id, refusals, at);
  }

  tell(id: string, refusals: readonly Refusal[], at: number): void {
    const shadowed = refusals.filter(({ shadow }) => shadow);
    const caller = this.#untold.get(id);
    if (shadowed.length === 0 || !caller) return;
    this.#untold.set(id, null);
    this.#events.emit({ type: 'would-deny', id, ...caller, denial: denialOf(shadowed), at });
  }
}

/** What is refused in earnest. */
export function enforced(refusals: readonly Refusal[]): Refusal[] {
  return refusals.filter((refusal) => isRefused([refusal]));
}

function isInShadow({ account }: Claim): boolean {
  return account.rule.shadow === true;
}
