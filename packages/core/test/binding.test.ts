import { describe, expect, test } from 'vitest';
import {
  type Budget,
  ConfigError,
  type Identity,
  MissingIdentityError,
  type PriceBook,
  UnpricedModelError,
} from '../src/index.ts';
import {
  admit,
  benchOf,
  callOf,
  collect,
  denialFor,
  eventsOf,
  type GuardBench,
} from './support/guard.ts';
import { PRICES } from './support/prices.ts';

function tokensPer(per: readonly string[], others: Partial<Budget> = {}): Budget {
  const name = per.length === 0 ? 'everyone' : per.join('-');
  return { name, per, limit: { tokens: 1_000 }, window: 'total', ...others };
}

/** Keys of the accounts that the latest call is held on. */
async function boundTo({ guard, sink }: GuardBench, request: Parameters<typeof callOf>[1] = {}) {
  const call = await admit(guard, callOf(1, request));
  await call.settle({ outcome: 'known' });
  const keys: string[] = [];
  for await (const entry of sink.entries())
    keys.splice(0, keys.length, ...entry.charges.map((c) => c.account));
  return keys;
}

describe('which budgets bind a call', () => {
  test('those whose dimensions the identity has, each with an account of its own', async () => {
    const bench = benchOf([tokensPer([]), tokensPer(['org']), tokensPer(['org', 'user'])]);
    expect(await boundTo(bench, { identity: { org: 'acme', user: 'ann' } })).toEqual([
      'everyone',
      'org|org=acme',
      'org-user|org=acme|user=ann',
    ]);
  });

  test('case C-86: a missing dimension leaves the other budgets in force', async () => {
    const bench = benchOf([tokensPer(['org']), tokensPer(['user'])]);
    expect(await boundTo(bench, { identity: { org: 'acme' } })).toEqual(['org|org=acme']);
  });

  test('provider and model are dimensions that hardcap adds', async () => {
    const bench = benchOf([tokensPer(['model']), tokensPer(['provider', 'user'])]);
    const identity = { user: 'ann', model: 'a-lie', provider: 'a-lie' };
    expect(await boundTo(bench, { identity })).toEqual([
      'model|model=small',
      'provider-user|provider=acme|user=ann',
    ]);
  });

  test('a property that every object has is no dimension of an identity', async () => {
    const bench = benchOf([tokensPer([]), tokensPer(['user'], { match: { user: '*' } })]);
    expect(await boundTo(bench, { identity: { org: 'acme' } })).toEqual(['everyone']);
  });
});

describe('match', () => {
  const bench = (match: Record<string, string>) =>
    benchOf([tokensPer([]), tokensPer(['model'], { match })]);
  const binds = async (match: Record<string, string>, request: Parameters<typeof callOf>[1]) =>
    (await boundTo(bench(match), request)).length === 2;

  test.each([
    ['claude-opus-*', 'claude-opus-4-5', true],
    ['claude-opus-*', 'claude-opus-', true],
    ['claude-opus-*', 'my-claude-opus-4', false],
    ['*opus*', 'my-claude-opus-4', true],
    ['*', 'anything', true],
    ['gpt-4', 'gpt-4', true],
    ['gpt-4', 'gpt-4o', false],
    ['gpt-4.1', 'gpt-4x1', false],
    ['a+b(c)[d]*', 'a+b(c)[d]e', true],
    ['claude-opus-*', 'claude-opus-4\nx', true],
  ])('%s and %s: %s', async (pattern, model, isMatch) => {
    const provider = 'acme';
    expect(await binds({ model: pattern }, { provider, model })).toBe(isMatch);
  });

  test('every dimension of it must match, and be there', async () => {
    const match = { model: 'small', org: 'acme' };
    expect(await binds(match, { identity: { org: 'acme' } })).toBe(true);
    expect(await binds(match, { identity: { org: 'other' } })).toBe(false);
    expect(await binds(match, {})).toBe(false);
  });
});

describe('case C-53: a budget for a model', () => {
  const cap: Budget = tokensPer(['user'], { match: { model: 'gpt-4', provider: 'openai' } });
  const everyone = tokensPer([]);
  const identity = { user: 'ann' };
  // Prices gpt-4 of three providers as one, and knows nothing else.
  const prices: PriceBook = {
    quote: (request) => {
      if (!/^(azure\/)?gpt-4(-0613)?$/.test(request.model)) {
        throw new UnpricedModelError(request.provider, request.model, 'it is not listed');
      }
      const quote = PRICES.quote({ ...request, provider: 'acme', model: 'small' });
      return { ...quote, snapshot: { ...quote.snapshot, provider: 'openai', model: 'gpt-4' } };
    },
  };

  test.each([
    ['openai', 'gpt-4', true],
    ['openai', 'gpt-4-0613', true],
    ['litellm', 'azure/gpt-4', true],
    ['openai', 'gpt-4-thinking-low', false],
    ['openai', 'gpt-4o', false],
  ])('%s %s: %s, by what it is priced as', async (provider, model, isBound) => {
    const bench = benchOf([everyone, cap], { prices });
    const keys = await boundTo(bench, { provider, model, identity });
    expect(keys).toEqual(isBound ? ['everyone', 'user|user=ann'] : ['everyone']);
    const bound = boundTo(bench, { provider, model, identity });
    expect(await bound).toEqual(keys);
  });

  test('the provider by its name of the call, and the model by that of its price: a deployment is no way around', async () => {
    const atAzure = tokensPer(['user'], { match: { provider: 'azure', model: 'gpt-4' } });
    const asPriced: PriceBook = {
      quote: (request) => prices.quote({ ...request, model: 'gpt-4' }),
    };
    const bench = benchOf([everyone, atAzure], { prices: asPriced });
    const request = { provider: 'azure', model: 'ours', identity };
    expect(await boundTo(bench, request)).toEqual(['everyone', 'user|user=ann']);
    expect(await boundTo(bench, { ...request, provider: 'openai' })).toEqual(['everyone']);
  });

  test('also for callers who were met before the model had a price', async () => {
    let isListed = false;
    const later: PriceBook = {
      quote: (request) => prices.quote({ ...request, model: isListed ? 'gpt-4' : 'unheard-of' }),
    };
    const bench = benchOf([tokensPer(['user'], { name: 'all' }), cap], { prices: later });
    const request = { provider: 'openai', model: 'preview', identity };
    expect(await boundTo(bench, request)).toEqual(['all|user=ann']);
    isListed = true;
    expect(await boundTo(bench, request)).toEqual(['all|user=ann', 'user|user=ann']);
  });

  test('and no other field of its price is taken for a dimension', async () => {
    const match = { source: '*' };
    const bench = benchOf([everyone, tokensPer(['user'], { match })], { prices });
    const request = { provider: 'openai', model: 'gpt-4', identity };
    expect(await boundTo(bench, request)).toEqual(['everyone']);
  });
});

describe('case C-83: a call of a user in a team in an organisation', () => {
  const identity = { org: 'acme', team: 'web', user: 'ann' };
  const chain = ['org', 'team', 'user'];

  test.each(chain)('needs all of them: %s alone has too little', async (scarce) => {
    const budgets = chain.map((dimension) =>
      tokensPer([dimension], { limit: { tokens: dimension === scarce ? 9 : 1_000 } }),
    );
    const { guard } = benchOf(budgets);
    const { refusals } = await denialFor(guard, callOf(10, { identity }));
    expect(refusals.map(({ budget }) => budget)).toEqual([scarce]);
    expect((await guard.status(identity)).map(({ held }) => held)).toEqual([0, 0, 0]);
  });

  test('is left out of a budget that says so, and of no other', async () => {
    const budgets = [
      tokensPer(['org'], { limit: { tokens: 25 } }),
      tokensPer(['user'], { limit: { tokens: 9 }, exempt: [{ user: 'ann' }] }),
    ];
    const { guard } = benchOf(budgets);
    await admit(guard, callOf(10, { identity }));
    await admit(guard, callOf(10, { identity }));
    const { refusals } = await denialFor(guard, callOf(10, { identity }));
    expect(refusals.map(({ budget }) => budget)).toEqual(['org']);
  });
});

describe('a call that no budget binds', () => {
  test('is refused, and told what is missing', async () => {
    const { guard, events } = benchOf([tokensPer(['user']), tokensPer(['org', 'run'])]);
    const reserved = guard.reserve(callOf(1, { identity: { org: 'acme' } }));
    await expect(reserved).rejects.toThrow(MissingIdentityError);
    await expect(reserved).rejects.toThrow(
      /Its identity has org; the budgets are "user" \(per user\), "org-run" \(per org, run\)/,
    );
    expect(events).toEqual([]);
  });

  test('is refused where there are no budgets at all', async () => {
    const { guard } = benchOf([]);
    await expect(guard.reserve(callOf(1))).rejects.toThrow(/the budgets are none/);
  });

  test('runs with `unbudgeted: "allow"`, and is ledgered all the same', async () => {
    const bench = benchOf([tokensPer(['user'])], { unbudgeted: 'allow' });
    expect(await boundTo(bench)).toEqual([]);
    const [entry, ...others] = await collect(bench.guard.ledger());
    expect(others).toEqual([]);
    expect(entry).toMatchObject({
      kind: 'settlement',
      provider: 'acme',
      model: 'small',
      charges: [],
    });
  });
});

describe('where an identity comes from', () => {
  const GUARD: Identity = { a: 'guard', b: 'guard', c: 'guard', d: 'guard' };
  const ADAPTER: Identity = { b: 'adapter', c: 'adapter', d: 'adapter' };
  const CONTEXT: Identity = { c: 'context', d: 'context' };
  const CALL: Identity = { d: 'call' };

  test('the call, then its context, then the adapter, then the guard', async () => {
    const { guard, events } = benchOf([tokensPer([])], { identity: GUARD });
    await guard.withIdentity(CONTEXT, () =>
      admit(guard, callOf(1, { identity: CALL, defaultIdentity: ADAPTER })),
    );
    expect(eventsOf(events, 'reserved')[0]?.identity).toEqual({
      a: 'guard',
      b: 'adapter',
      c: 'context',
      d: 'call',
      provider: 'acme',
      model: 'small',
    });
  });

  test('case C-84: from wherever it comes, it is held on the same accounts', async () => {
    const who = { org: 'acme', user: 'ann', apiKey: 'sk-of-ann' };
    const budgets = [tokensPer(['org']), tokensPer(['user']), tokensPer(['apiKey'])];
    const { guard, sink } = benchOf(budgets);
    await admit(guard, callOf(10, { identity: who }));
    await admit(guard, callOf(10, { defaultIdentity: who }));
    await guard.withIdentity(who, () => admit(guard, callOf(10)));
    const { guard: ofOne } = benchOf(budgets, { sink, identity: who });
    await admit(ofOne, callOf(10));
    const held = (await guard.status(who)).map((account) => account.held);
    expect(held).toEqual([40, 40, 40]);
  });

  test('a context reaches every call made in it, and none outside', async () => {
    const { guard, events } = benchOf([tokensPer([])]);
    const users = () => eventsOf(events, 'reserved').map(({ identity }) => identity['user']);
    await Promise.all(
      ['ann', 'bob'].map((user) =>
        guard.withIdentity({ user }, async () => {
          await Promise.resolve();
          await guard.withIdentity({ run: 'r1' }, () => admit(guard, callOf(1)));
        }),
      ),
    );
    await admit(guard, callOf(1));
    expect(users()).toEqual(['ann', 'bob', undefined]);
    expect(eventsOf(events, 'reserved')[0]?.identity).toMatchObject({ user: 'ann', run: 'r1' });
  });

  test('a runtime without AsyncLocalStorage says so', () => {
    const getBuiltinModule = process.getBuiltinModule;
    try {
      process.getBuiltinModule = (() => undefined) as never;
      const { guard } = benchOf([tokensPer([])]);
      expect(() => guard.withIdentity({ user: 'ann' }, () => {})).toThrow(ConfigError);
      expect(() => guard.withIdentity({ user: 'ann' }, () => {})).toThrow(/AsyncLocalStorage/);
    } finally {
      process.getBuiltinModule = getBuiltinModule;
    }
  });
});

describe('a caller that was bound before', () => {
  test('is bound anew when anything about it has changed, also in its own object', async () => {
    const perModel = tokensPer(['model']);
    const bench = benchOf([tokensPer(['org']), tokensPer(['org', 'user']), perModel]);
    const identity: Record<string, string> = { org: 'acme', user: 'ann' };
    const keys = ['org|org=acme', 'org-user|org=acme|user=ann', 'model|model=small'];
    expect(await boundTo(bench, { identity })).toEqual(keys);
    expect(await boundTo(bench, { identity: { ...identity } })).toEqual(keys);

    identity['user'] = 'bob';
    const [org, , model] = keys;
    expect(await boundTo(bench, { identity })).toEqual([org, 'org-user|org=acme|user=bob', model]);
    delete identity['user'];
    expect(await boundTo(bench, { identity })).toEqual([org, model]);
    expect(await boundTo(bench, { identity, model: 'large' })).toEqual([org, 'model|model=large']);
    identity['user'] = 'ann';
    expect(await boundTo(bench, { identity })).toEqual(keys);
  });

  test('does not lend its accounts to a caller who has undefined in place of a dimension', async () => {
    const bench = benchOf([tokensPer(['org']), tokensPer(['run'])]);
    await boundTo(bench, { identity: { org: 'acme', run: 'r1' } });
    const identity = { org: 'acme', user: undefined } as unknown as Identity;
    await expect(bench.guard.reserve(callOf(1, { identity }))).rejects.toThrow(/"user".*undefined/);
  });
});
