import type { Adjustment, EntryDetails, Outcome, SettleRequest, SinkEntry } from '@hardcap/core';
import { readCharges, readOvershoot } from './answer-text.ts';

/** An entry of the stream: its id, and names and values in turn. */
export type EntryReply = readonly [id: string, fields: readonly string[]];

export function readEntry([id, fields]: EntryReply): SinkEntry {
  const values = valuesOf(fields);
  const field = (name: string) => values.get(name) ?? '';
  const at = Number(id.slice(0, id.indexOf('-')));
  const charges = readCharges(field('charges'));
  // The first field says what the entry is, and of what.
  const [kind, subject] = fields as unknown as [kind: SinkEntry['kind'], subject: string];
  if (kind === 'settlement' || kind === 'correction') {
    const { of, outcome, details }: SettlementText = JSON.parse(subject);
    const named = kind === 'correction' ? `${of}:late` : of;
    const overshoot = readOvershoot(values.get('overshoot') ?? '[]', charges);
    return { kind, id: named, reservation: of, at, outcome, charges, overshoot, details };
  }
  const of: string = JSON.parse(`"${subject}"`);
  if (kind === 'expiry') {
    return { kind, id: `${of}:expiry`, reservation: of, at, charges, details: {} };
  }
  const details: EntryDetails = JSON.parse(field('details'));
  const account: string = JSON.parse(`"${field('account')}"`);
  const [budget]: readonly [string] = JSON.parse(`[${field('names')}]`);
  const change: Adjustment = JSON.parse(field('change'));
  return { kind, id: of, at, account, budget, charges, change, details };
}

interface SettlementText {
  readonly of: string;
  readonly outcome: Outcome;
  readonly details: EntryDetails;
}

/** What is known of a settlement before it is settled. */
export function settlementText({ id, outcome, details }: SettleRequest): string {
  const text: SettlementText = { of: id, outcome, details };
  return JSON.stringify(text);
}

/** Budget and unit of the account that an adjustment changed, as the scripts know them. */
export function namesIn([, fields]: EntryReply): string {
  return valuesOf(fields).get('names') ?? '';
}

/** By name; the first two fields are no name and value. */
function valuesOf(fields: readonly string[]): Map<string, string> {
  const values = new Map<string, string>();
  for (let place = 2; place < fields.length; place += 2) {
    values.set(fields[place] as string, fields[place + 1] as string);
  }
  return values;
}
