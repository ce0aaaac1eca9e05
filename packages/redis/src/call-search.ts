import type { ReleaseAnswer } from '@hardcap/core';
import { type CallPart, inOrder, possiblePartIds, readPartId } from './call-part.ts';
import { type Heard, heardOf } from './part-answers.ts';
import { findIds } from './part-operations.ts';
import type { PartitionStores } from './partition-stores.ts';

type Missing = Extract<ReleaseAnswer, { status: 'never-held' }>;

/** So many partitions are asked at once whether they have a call. */
const ASKED_AT_ONCE = 16;

/** Finds the parts of calls that other processes have made. */
export class CallSearch {
  readonly #stores: PartitionStores;
  readonly #nameOf: (account: string) => string | null;

  constructor(stores: PartitionStores, nameOf: (account: string) => string | null) {
    this.#stores = stores;
    this.#nameOf = nameOf;
  }

  /**
   * Does something about a call. It is looked for in the partitions of its accounts and above them,
   * and where those do not say, in all.
   *
   * @param accounts of the call, as far as they are known
   * @param deadline in ms since the epoch
   */
  async find<Found extends Heard>(
    id: string,
    accounts: readonly string[],
    deadline: number,
    act: (parts: readonly CallPart[]) => Promise<Found>,
  ): Promise<Found | Missing> {
    const named = inOrder([...accounts.map(this.#nameOf), null]);
    const heard: Heard[] = [];
    let parts = await this.#partsIn(named, id, { heard, deadline });
    const isNamed = named.length > 1;
    const [first] = parts;
    const isWhole = first === undefined ? isNamed : parts.length === readPartId(first.id).count;
    if (!isWhole) {
      const rest = (await this.#stores.names()).filter((name) => !named.includes(name));
      parts = [...parts, ...(await this.#partsIn(rest, id, { heard, deadline }))].toSorted(byPlace);
    }
    if (parts.length === 0) return { status: 'never-held', ...heardOf(heard) };
    const answer = await act(parts);
    return { ...answer, notices: [...heardOf(heard).notices, ...answer.notices] };
  }

  async #partsIn(
    names: readonly (string | null)[],
    id: string,
    { heard, deadline }: { readonly heard: Heard[]; readonly deadline: number },
  ): Promise<CallPart[]> {
    const ids = possiblePartIds(id);
    const parts: CallPart[] = [];
    for (let from = 0; from < names.length; from += ASKED_AT_ONCE) {
      const asked = names.slice(from, from + ASKED_AT_ONCE).map(async (name) => {
        const store = this.#stores.at(name);
        const { found, ...told } = await findIds(store, ids, deadline);
        heard.push(told);
        for (const each of found) parts.push({ name, store, id: each });
      });
      await Promise.all(asked);
    }
    return parts.toSorted(byPlace);
  }
}

function byPlace(one: CallPart, other: CallPart): number {
  return readPartId(one.id).place - readPartId(other.id).place;
}
