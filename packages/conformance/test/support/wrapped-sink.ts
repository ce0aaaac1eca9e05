import type { Claim, ReserveRequest, UsageSink } from '@hardcap/core';

/** A sink that does some things in another way. */
export function wrapped(sink: UsageSink, changes: Partial<UsageSink>): UsageSink {
  return {
    reserve: (request) => sink.reserve(request),
    extend: (request) => sink.extend(request),
    settle: (request) => sink.settle(request),
    release: (id) => sink.release(id),
    read: (accounts) => sink.read(accounts),
    adjust: (request) => sink.adjust(request),
    entries: (query) => sink.entries(query),
    verify: () => sink.verify(),
    rebuild: () => sink.rebuild(),
    close: () => sink.close(),
    ...changes,
  };
}

/** The request under other terms, or for other amounts. */
export function asking(request: ReserveRequest, change: (claim: Claim) => Claim): ReserveRequest {
  return { ...request, claims: request.claims.map(change) };
}

export function withRule(claim: Claim, rule: Partial<Claim['account']['rule']>): Claim {
  const { account, amount } = claim;
  return { account: { key: account.key, rule: { ...account.rule, ...rule } }, amount };
}
