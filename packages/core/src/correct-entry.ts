import { noted } from './adjust-account.ts';
import type { AdjustmentNote } from './adjustment-order.ts';
import type { CallBinder } from './call-binder.ts';
import type { BookKeeping } from './call-books.ts';
import { type ChargedCall, findChargedCall } from './charged-call.ts';
import { type Correction, checkCorrection } from './correction-order.ts';
import { correctionRequest } from './correction-request.ts';
import { InvalidArgumentError, SinkUnavailableError } from './errors.ts';
import { type LedgerEntry, ledgerEntry } from './ledger-entry.ts';
import type { SinkPort } from './sink-port.ts';

/** How often another correction of the same call may come first. */
const MAX_ATTEMPTS = 8;

/**
 * Changes what a call was charged to what it should have been, by an entry beside the others; gives
 * that entry.
 *
 * Corrections of a call are numbered, and the number is the id: of two at once one comes second, and
 * starts from what the first has left.
 */
export async function correctEntry(
  binder: CallBinder,
  { sink, events }: BookKeeping,
  entryId: string,
  correction: Correction,
  note: AdjustmentNote = {},
): Promise<LedgerEntry> {
  checkCorrection(correction);
  const { id } = note;
  const said = { ...noted(note), ...(id === undefined ? {} : { correctionId: id }) };
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const call = await callOf(sink, entryId);
    const done = call.corrections.find(
      ({ correctionId }) => correctionId !== undefined && correctionId === id,
    );
    if (done !== undefined) return done;
    const request = await correctionRequest(binder, call, correction, said);
    const answer = await sink.ask('adjust', (owner) => owner.adjust(request));
    events.emitAll(answer.notices);
    if (answer.status === 'adjusted') return entryOf(sink, request.id, answer.at);
  }
  throw new SinkUnavailableError(
    `The call of entry "${entryId}" is being corrected by others all the time. Try again.`,
  );
}

async function callOf(sink: SinkPort, entryId: string): Promise<ChargedCall> {
  const call = await sink.ask('read', () => findChargedCall(sink, entryId));
  if (call !== undefined) return call;
  throw new InvalidArgumentError(
    `The ledger has no entry "${entryId}" of a call. (The memory sink keeps its latest entries alone; ` +
      'what an adjustment did is undone by another adjustment.)',
  );
}

async function entryOf(sink: SinkPort, id: string, from: number): Promise<LedgerEntry> {
  return sink.ask('read', async (owner) => {
    for await (const entry of owner.entries({ from })) {
      if (entry.kind === 'adjustment' && entry.id === id) return ledgerEntry(entry);
    }
    throw new Error(`the entry "${id}" that was just written is not there`);
  });
}
