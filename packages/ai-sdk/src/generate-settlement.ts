import type { Settlement } from '@hardcap/core';
import { asObject, listAt, objectAt, textAt } from '@hardcap/core/adapter';
import type { Attempt } from './attempt.ts';

/** What a whole answer settles with. */
export async function generateSettlement(result: unknown, attempt: Attempt): Promise<Settlement> {
  const answer = asObject(result) ?? {};
  const content = listAt(answer, 'content').map((item) => asObject(item) ?? {});
  for (const item of content) attempt.searches.see(item);
  const reported = attempt.reported({
    usage: answer['usage'],
    providerMetadata: answer['providerMetadata'],
    servedModel: textAt(objectAt(answer, 'response'), 'modelId'),
    body: objectAt(answer, 'response', 'body'),
  });
  if (reported !== undefined) return reported;
  // Nothing is known: the hold is charged, or what a call that holds nothing has shown.
  for (const item of content) {
    const text = textAt(item, 'text') ?? textAt(item, 'input');
    if (text !== undefined) await attempt.spend.meter({ text });
  }
  return { outcome: 'known' };
}
