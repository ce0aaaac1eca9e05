import { type PartitionedCall, sortedBy } from './call-part.ts';

/** So many calls are remembered that have ended; others are looked for. */
const MOST_ENDED = 20_000;
/** After so long without a sign of life a call that never ended is one that nobody will end. */
const ABANDONED_MS = 3_600_000;

interface Open {
  readonly call: PartitionedCall;
  readonly usedAt: number;
}

/** The calls of this process by id: those that are open, and the latest of the others. */
export class RecentCalls {
  /** Those that were used longest ago first. */
  readonly #open: Map<string, Open> = new Map();
  readonly #ended: Map<string, PartitionedCall> = new Map();

  get(id: string): PartitionedCall | undefined {
    return this.#open.get(id)?.call ?? this.#ended.get(id);
  }

  /** Notices that an open call is in use. */
  use(call: PartitionedCall): void {
    if (this.#open.has(call.id)) this.add(call);
  }

  add(call: PartitionedCall): void {
    const now = Date.now();
    this.delete(call.id);
    this.#open.set(call.id, { call, usedAt: now });
    const [oldest] = this.#open;
    if (oldest !== undefined && now - oldest[1].usedAt > ABANDONED_MS) this.end(oldest[0]);
  }

  end(id: string): void {
    const call = this.#open.get(id)?.call;
    if (call === undefined) return;
    this.#open.delete(id);
    if (this.#ended.size >= MOST_ENDED) {
      const [oldest = ''] = this.#ended.keys();
      this.#ended.delete(oldest);
    }
    this.#ended.set(id, call);
  }

  /** Of a call that was never held. */
  delete(id: string): void {
    this.#open.delete(id);
    this.#ended.delete(id);
  }

  /** Sorts what is told by account as the claims of the call were. */
  sorted<Each extends { readonly account: string }>(id: string, all: readonly Each[]): Each[] {
    const holds = this.get(id)?.holds;
    return holds === undefined ? [...all] : sortedBy([...holds.keys()], all);
  }
}
