import type { Adjustment, EntryDetails, Outcome, SinkEntry } from '@hardcap/core';
import { readCharges, readOvershoot } from './answer-text.ts';

/** An entry of the stream: its id, and names and values in turn. */
export type EntryReply = readonly [id: string, fields: readonly string[]];

export function readEntry([id, fields]: EntryReply): SinkEntry {
  const field = valuesOf(fields);
  const at = Number(id.slice(0, id.indexOf('-')));
  const subject: string = JSON.parse(`"${field('of')}"`);
  const charges = readCharges(field('charges'));
  const kind = field('kind') as SinkEntry['kind'];
  if (kind === 'expiry') {
    return { kind, id: `${subject}:expiry`, reservation: subject, at, charges, details: {} };
  }
  const details: EntryDetails = JSON.parse(field('details'));
  if (kind === 'adjustment') {
    const account: string = JSON.parse(`"${field('account')}"`);
    const [budget]: readonly [string] = JSON.parse(`[${field('names')}]`);
    const change: Adjustment = JSON.parse(field('change'));
    return { kind, id: subject, at, account, budget, charges, change, details };
  }
  return {
    kind,
    id: kind === 'correction' ? `${subject}:late` : subject,
    reservation: subject,
    at,
    outcome: field('outcome') as Outcome,
    charges,
    overshoot: readOvershoot(field('overshoot'), charges),
    details,
  };
}

/** Budget and unit of the account that an adjustment changed, as the scripts know them. */
export function namesIn([, fields]: EntryReply): string {
  return valuesOf(fields)('names');
}

function valuesOf(fields: readonly string[]): (name: string) => string {
  const values = new Map<string, string>();
  for (let place = 0; place < fields.length; place += 2) {
    values.set(fields[place] as string, fields[place + 1] as string);
  }
  return (name) => values.get(name) ?? '';
}
