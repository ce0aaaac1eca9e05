import type { Charge, CorrectionCharge, Overshoot, SinkEntry } from '@hardcap/core';

/** An entry of one store. */
export interface PartEntry {
  readonly at: number;
  /** Where it is among those of the same millisecond. */
  readonly order: number;
  readonly place: number;
  /** How many parts the entry has. */
  readonly count: number;
  /** Whether it says what the call cost. */
  readonly tells: boolean;
  readonly entry: SinkEntry;
}

interface Joined {
  readonly at: number;
  readonly parts: PartEntry[];
  readonly name: string;
}

/** Puts what is told by account into the order of the call of that id. */
export type Sorted = <Each extends { readonly account: string }>(
  id: string,
  all: readonly Each[],
) => Each[];

/** Puts the parts of entries together while they come by in order. */
export class EntryJoin {
  readonly #withinMs: number;
  readonly #sorted: Sorted;
  readonly #queue: Joined[] = [];
  readonly #open: Map<string, Joined> = new Map();

  constructor(withinMs: number, sorted: Sorted) {
    this.#withinMs = withinMs;
    this.#sorted = sorted;
  }

  add(part: PartEntry): void {
    const name = `${part.entry.kind} ${part.entry.id}`;
    const begun = this.#open.get(name);
    if (begun !== undefined && part.at <= begun.at + this.#withinMs) {
      begun.parts.push(part);
      if (isWhole(begun)) this.#open.delete(name);
      return;
    }
    const joined = { at: part.at, parts: [part], name };
    this.#queue.push(joined);
    if (!isWhole(joined)) this.#open.set(name, joined);
  }

  /** What is whole by a time, or will never be. */
  *taken(now: number): Generator<SinkEntry> {
    for (let first = this.#queue[0]; first !== undefined; first = this.#queue[0]) {
      if (!isWhole(first) && now <= first.at + this.#withinMs) return;
      this.#queue.shift();
      if (this.#open.get(first.name) === first) this.#open.delete(first.name);
      yield this.#entryOf(first);
    }
  }

  #entryOf({ parts }: Joined): SinkEntry {
    const inPlace = parts.toSorted((one, other) => one.place - other.place);
    const [{ entry: first, place }] = inPlace as [PartEntry];
    const isApart = !parts.some(({ tells }) => tells);
    const entry = isApart ? { ...first, id: `${first.id}:part${place}`, isApart } : first;
    if (parts.length === 1) return entry;
    const all = inPlace.flatMap((part): readonly Charge[] => part.entry.charges);
    if (entry.kind === 'adjustment') return { ...entry, charges: asAsked(entry, all) };
    const charges = this.#sorted(entry.reservation, all);
    if (entry.kind === 'expiry') return { ...entry, charges };
    const overshoot = inPlace.flatMap((part): readonly Overshoot[] => {
      return 'overshoot' in part.entry ? part.entry.overshoot : [];
    });
    return { ...entry, charges, overshoot: this.#sorted(entry.reservation, overshoot) };
  }
}

function isWhole({ parts }: Joined): boolean {
  const [first] = parts as [PartEntry];
  return parts.length >= first.count;
}

/** What a correction charged, in the order in which it was asked for. */
function asAsked(
  { change }: Extract<SinkEntry, { kind: 'adjustment' }>,
  charges: readonly Charge[],
): Charge[] {
  const asked = change.type === 'correction' ? change.charges : [];
  const left = [...charges];
  const inOrder = asked.flatMap((each) => {
    const place = left.findIndex((charge) => isOf(each, charge));
    return place < 0 ? [] : left.splice(place, 1);
  });
  return [...inOrder, ...left];
}

/** Whether that was applied of what was asked: all of it, or what was there to take back. */
function isOf(asked: CorrectionCharge, { account, window, slot, amount }: Charge): boolean {
  const isPlace = account === asked.account && window === asked.window && slot === asked.slot;
  return isPlace && (amount === asked.amount || (asked.amount < amount && amount < 0));
}
