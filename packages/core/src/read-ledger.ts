import type { CallBinder } from './call-binder.ts';
import {
  type LedgerEntry,
  type LedgerQuery,
  ledgerEntry,
  matchesLedgerQuery,
} from './ledger-entry.ts';
import type { SinkPort } from './sink-port.ts';

/** @throws SinkUnavailableError when the sink cannot be read. */
export async function* readLedger(
  port: SinkPort,
  query: LedgerQuery,
  binder: CallBinder,
): AsyncGenerator<LedgerEntry> {
  const { identity, provider, model, outcome, kind, ...ofSink } = query;
  const asked = { ...query, identity: binder.checked(identity ?? {}) };
  try {
    for await (const entry of port.entries(ofSink)) {
      const line = ledgerEntry(entry);
      if (matchesLedgerQuery(line, asked)) yield line;
    }
  } catch (error) {
    throw await port.failure('read', error);
  }
}
