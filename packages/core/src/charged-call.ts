import { type LedgerEntry, ledgerEntry } from './ledger-entry.ts';
import type { SinkEntry } from './sink-entry.ts';
import type { SinkPort } from './sink-port.ts';
import type { TokenUsage } from './usage.ts';
import type { Charge, CorrectionCharge } from './usage-sink.ts';

/** What a call was charged in one window or slot. */
interface ChargedPlace {
  readonly place: Omit<CorrectionCharge, 'amount'>;
  /** All charges together. */
  total: number;
  /** What of them no reset has given back. */
  left: number;
}

/** Everything that the ledger says of one call. */
export interface ChargedCall {
  readonly reservation: string;
  /** The line that says most of the call: how it was settled, or that it was not. */
  readonly entry: LedgerEntry;
  readonly corrections: readonly LedgerEntry[];
  readonly places: readonly ChargedPlace[];
  /** Nano-USD, all corrections included. */
  readonly costNanoUsd: number;
  /** Null where nobody knows it. */
  readonly usage: TokenUsage | null;
  /** Nobody knows what it used or cost. */
  readonly isAtHold: boolean;
}

/** Reads what the ledger says of the call that an entry is of; undefined when there is no such entry. */
export async function findChargedCall(
  port: SinkPort,
  entryId: string,
): Promise<ChargedCall | undefined> {
  const reservation = await reservationOf(port, entryId);
  if (reservation === undefined) return undefined;
  const lines: LedgerEntry[] = [];
  const places = new Map<string, ChargedPlace>();
  for await (const entry of port.entries({})) {
    if (entry.kind === 'adjustment' && entry.change.type === 'reset') giveBack(places, entry);
    if (callOf(entry) !== reservation) continue;
    for (const charge of entry.charges) add(places, charge);
    lines.push(ledgerEntry(entry));
  }
  // The others have charges that were written apart.
  const telling = lines.filter(({ apartNanoUsd }) => apartNanoUsd === undefined);
  const corrections = telling.filter(({ kind }) => kind === 'adjustment');
  const isOfCall = ({ kind }: LedgerEntry) => kind !== 'adjustment';
  const entry = telling.findLast(isOfCall) ?? lines.findLast(isOfCall);
  if (entry === undefined) return undefined;
  const costNanoUsd = lines.reduce((sum, line) => sum + (line.costChangeNanoUsd ?? 0), 0);
  const usage = lines.findLast((line) => line.usage)?.usage ?? null;
  const isAtHold =
    telling.findLast((line) => line.chargedAtHold !== undefined)?.chargedAtHold ?? false;
  const figures = { places: [...places.values()], costNanoUsd, usage, isAtHold };
  return { reservation, entry, corrections, ...figures };
}

async function reservationOf(port: SinkPort, entryId: string): Promise<string | undefined> {
  for await (const entry of port.entries({})) if (entry.id === entryId) return callOf(entry);
  return undefined;
}

/** The reservation that an entry is about. */
function callOf(entry: SinkEntry): string | undefined {
  if (entry.kind !== 'adjustment') return entry.reservation;
  return entry.change.type === 'correction' ? entry.change.reservation : undefined;
}

function keyOf({ account, window, slot }: Omit<CorrectionCharge, 'amount'>): string {
  return JSON.stringify([account, window, slot]);
}

function add(places: Map<string, ChargedPlace>, { amount, held: _, ...place }: Charge): void {
  const key = keyOf(place);
  const known = places.get(key) ?? { place, total: 0, left: 0 };
  places.set(key, known);
  known.total += amount;
  known.left += amount;
}

function giveBack(places: Map<string, ChargedPlace>, { charges }: SinkEntry): void {
  for (const charge of charges) {
    const known = places.get(keyOf(charge));
    if (known !== undefined) known.left = 0;
  }
}
