import type { Account, AccountReading, AccountRule, UsageSink } from '@hardcap/core';
import { type BrokenSink, broken, timeOf } from '../support/broken-sinks.ts';

/** All accounts under other rules, which may depend on the time. */
function ruledBy(
  change: (account: Account, at: number, isUse: boolean) => AccountRule,
): (sink: UsageSink) => Partial<UsageSink> {
  return (sink) => {
    const changed = (account: Account, at: number, isUse: boolean): Account => {
      return { key: account.key, rule: change(account, at, isUse) };
    };
    return {
      async reserve(request) {
        const at = await timeOf(sink);
        const claims = request.claims.map(({ account, amount }) => {
          return { account: changed(account, at, true), amount };
        });
        return sink.reserve({ ...request, claims });
      },
      async read(accounts) {
        const at = await timeOf(sink);
        return sink.read(accounts.map((account) => changed(account, at, false)));
      },
    };
  };
}

/** Readings other than there are. */
function readingAs(
  change: (reading: AccountReading) => AccountReading,
): (sink: UsageSink) => Partial<UsageSink> {
  return (sink) => ({
    async read(accounts) {
      return (await sink.read(accounts)).map(change);
    },
  });
}

function leftNothing({ rollover: _, ...rule }: AccountRule): AccountRule {
  return rule;
}

export const ROLLING_OVER: readonly BrokenSink[] = [
  broken(
    'rolls nothing over',
    'case C-44: 60 of 100 are spent',
    ruledBy(({ rule }) => leftNothing(rule)),
  ),

  broken(
    'rolls over whatever is left',
    'case C-44: no more than the cap',
    ruledBy(({ rule }) => (rule.rollover === undefined ? rule : { ...rule, rollover: 1_000 })),
  ),

  broken(
    'leaves the cap to everybody',
    'an account that is new is left nothing',
    ruledBy(({ rule }) => {
      return { ...leftNothing(rule), limit: (rule.limit ?? 0) + (rule.rollover ?? 0) };
    }),
  ),

  broken('forgets who was idle for a window', 'one that was idle for a window', (sink) => {
    const used = new Map<string, number | null>();
    return ruledBy(({ key, rule }, at, isUse) => {
      const { startsAt, endsAt } = rule.window.at(at);
      const isKnown = [startsAt, endsAt].includes(used.get(key) ?? -1);
      if (isUse) used.set(key, endsAt);
      return isKnown ? rule : leftNothing(rule);
    })(sink);
  }),

  broken('works out once what is left', 'what it did not cost is there once it ends', (sink) => {
    const first = new Map<string, number>();
    return readingAs((reading) => {
      const { account, window, limit, rollover } = reading;
      if (rollover === undefined || limit === null) return reading;
      const name = `${account} ${window.id}`;
      const left = first.get(name) ?? rollover;
      first.set(name, left);
      return { ...reading, limit: limit - rollover + left, rollover: left };
    })(sink);
  }),

  broken(
    'shows the limit alone',
    'shown with the 40',
    readingAs(({ rollover: _, ...reading }) => reading),
  ),

  broken('lets open calls grow into what was used since', 'may not grow', (sink) => ({
    extend: (request) => {
      const claims = request.claims.map(({ account: { key, rule }, amount }) => {
        return { account: { key, rule: { ...rule, limit: 1_000 } }, amount };
      });
      return sink.extend({ ...request, claims });
    },
  })),
];
