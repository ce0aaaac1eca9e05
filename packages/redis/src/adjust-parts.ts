import type { AdjustAnswer, AdjustRequest } from '@hardcap/core';
import { inOrder, type Manner, partId, possiblePartIds } from './call-part.ts';
import { heardOf } from './part-answers.ts';
import type { PartitionStores } from './partition-stores.ts';

/**
 * Changes an account; a correction, all accounts that it names, each store in a step of its own. The
 * store above the partitions comes first and decides which of two corrections with one id it is. The
 * ids are the same whoever asks, so that each store does it once.
 */
export async function adjustParts(
  request: AdjustRequest,
  stores: PartitionStores,
  { nameOf, deadline }: Manner,
): Promise<AdjustAnswer> {
  const { id, account, change } = request;
  const own = nameOf(account.key);
  const whole = { place: 1, count: 1, tells: true, id };
  if (change.type !== 'correction') {
    const store = await stores.of(own);
    const answer = await store.adjust({ ...request, id: partId(whole) });
    return { ...answer, ...heardOf([answer]) };
  }
  const { charges, reservation } = change;
  const names = new Set([null, ...inOrder([own, ...charges.map((each) => nameOf(each.account))])]);
  const reservations = possiblePartIds(reservation);
  const details = { ...request.details, parts: names.size };
  const answers: Omit<AdjustAnswer, 'reading'>[] = [];
  let reading: AdjustAnswer['reading'] | undefined;
  for (const name of names) {
    const store = await stores.of(name);
    const named = name === null ? whole : { ...whole, place: 2, tells: false };
    const asked = { ...request, id: partId(named), details };
    const here = charges.filter((each) => nameOf(each.account) === name);
    const part = { charges: here, reservations, deadline };
    if (name === own) {
      const answer = await store.adjust(asked, part);
      reading = answer.reading;
      answers.push(answer);
    } else answers.push(await store.adjustElsewhere(asked, part));
  }
  const [first] = answers as [AdjustAnswer];
  return { status: first.status, reading: reading as AdjustAnswer['reading'], ...heardOf(answers) };
}
