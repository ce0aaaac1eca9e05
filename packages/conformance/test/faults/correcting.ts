import type { Adjustment, AdjustRequest, SinkEntry, UsageSink } from '@hardcap/core';
import { type BrokenSink, broken, timeOf } from '../support/broken-sinks.ts';

type Correction = Extract<Adjustment, { readonly type: 'correction' }>;

/** Corrections other than those that were asked for. */
function correcting(
  change: (asked: Correction, request: AdjustRequest, at: number) => Correction,
): (sink: UsageSink) => Partial<UsageSink> {
  return (sink) => ({
    async adjust(request) {
      if (request.change.type !== 'correction') return sink.adjust(request);
      const at = await timeOf(sink);
      return sink.adjust({ ...request, change: change(request.change, request, at) });
    },
  });
}

/** Entries of corrections other than there are. */
function ledgered(
  change: (entry: SinkEntry, asked: Correction) => readonly SinkEntry[],
): (sink: UsageSink) => Partial<UsageSink> {
  return (sink) => ({
    async *entries(query) {
      for await (const entry of sink.entries(query)) {
        const asked = 'change' in entry ? entry.change : undefined;
        yield* asked?.type === 'correction' ? change(entry, asked) : [entry];
      }
    },
  });
}

export const CORRECTING: readonly BrokenSink[] = [
  broken(
    'corrects nothing',
    'adds what it cost too little',
    correcting((asked) => ({ ...asked, charges: [] })),
  ),

  broken(
    'corrects the first account alone',
    'takes back from all accounts of a call',
    correcting((asked) => ({ ...asked, charges: asked.charges.slice(0, 1) })),
  ),

  broken(
    'corrects whatever window is current',
    'reaches the window that paid, and no other',
    correcting((asked, { account }, at) => ({
      ...asked,
      charges: asked.charges.map((charge) => {
        return { ...charge, window: account.rule.window.at(at).id };
      }),
    })),
  ),

  broken(
    'takes back what has left a rolling window',
    'reaches the slot that paid, until it has left',
    correcting((asked, { account: { rule } }, at) => ({
      ...asked,
      charges: asked.charges.map((charge) => {
        const { startsAt } = rule.window.at(at);
        const isGone = charge.slot !== null && startsAt !== null && charge.slot < startsAt;
        return isGone ? { ...charge, slot: startsAt + 1_200_000 } : charge;
      }),
    })),
  ),

  broken(
    'lets a late settlement replace a correction',
    'is the last word on a call that expired',
    correcting((asked) => ({ ...asked, reservation: 'another' })),
  ),

  broken(
    'writes down what was asked, and not what was applied',
    'takes no counter below 0',
    ledgered((entry, { charges }) => [
      { ...entry, charges: charges.map((charge) => ({ ...charge, held: 0 })) },
    ]),
  ),

  broken(
    'writes no entry of a correction',
    'writes an entry beside the one that it corrects',
    ledgered(() => []),
  ),

  broken('notices no threshold of a correction', 'notices the thresholds', (sink) => ({
    async adjust(request) {
      return { ...(await sink.adjust(request)), notices: [] };
    },
  })),

  broken('knows a correction by its first account alone', 'by each account', (sink) => ({
    async *entries(query = {}) {
      for await (const entry of sink.entries(query)) {
        const { account = undefined } = query;
        const isOther = entry.kind === 'adjustment' && account !== undefined;
        if (!isOther || entry.account === account) yield entry;
      }
    },
  })),
];
