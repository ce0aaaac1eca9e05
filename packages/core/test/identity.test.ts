import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { accountKey } from '../src/identity.ts';
import {
  BudgetExceededError,
  type GuardEvent,
  type Identity,
  InvalidArgumentError,
  toHttpResponse,
  toSseEvent,
} from '../src/index.ts';
import { admit, benchOf, callOf, collect, denialFor, usageOf, usdBudget } from './support/guard.ts';

describe('account keys', () => {
  test('are readable', () => {
    const identity = { org: 'acme', user: 'ann@example.com', run: 'r9' };
    expect(accountKey('user-daily', ['user'], identity)).toBe('user-daily|user=ann@example.com');
    expect(accountKey('pair', ['org', 'run'], identity)).toBe('pair|org=acme|run=r9');
    expect(accountKey('all', [], identity)).toBe('all');
  });

  test('case C-86: there is none where a dimension is missing', () => {
    expect(accountKey('pair', ['org', 'run'], { org: 'acme' })).toBeUndefined();
  });

  test('escape what could be taken for a part of the key', () => {
    expect(accountKey('b', ['user'], { user: 'a|run=b%' })).toBe('b|user=a%7crun%3db%25');
    expect(accountKey('b', ['user'], { user: 'Ann \n' })).toBe('b|user=Ann%20%0a');
    expect(accountKey('b', ['user'], { user: '李🙂é' })).toBe('b|user=李🙂é');
  });

  test('tell halves of surrogate pairs apart, which are all one character in UTF-8', () => {
    const keys = ['\ud800', '\ud801', '\udfff', '\ufffd'].map((user) =>
      accountKey('b', ['user'], { user }),
    );
    expect(keys).toEqual(['b|user=%d800', 'b|user=%d801', 'b|user=%dfff', 'b|user=\ufffd']);
  });

  test('of two different identities are never the same, in UTF-8 neither', () => {
    const value = fc.oneof(
      fc.string({ minLength: 1, unit: fc.constantFrom(...'|=%ab7c\ud800\udbff\udc00\ufffd') }),
      fc.string({ minLength: 1, unit: 'binary' }),
      fc.string({ minLength: 1, unit: 'grapheme' }),
    );
    const identity = fc.record({ org: value, user: value });
    const bytes = (who: Identity, per: readonly string[]) =>
      new TextEncoder().encode(accountKey('b', per, who) ?? 'none').join();
    fc.assert(
      fc.property(identity, identity, (one, other) => {
        const isSame = one.org === other.org && one.user === other.user;
        expect(bytes(one, ['org', 'user']) === bytes(other, ['org', 'user'])).toBe(isSame);
        expect(bytes(one, ['org'])).not.toBe(bytes(other, ['org', 'user']));
      }),
      { numRuns: 3_000 },
    );
  });
});

describe('values of an identity', () => {
  test.each([
    ['', '0 characters long'],
    ['x'.repeat(257), '257 characters long'],
    [5, 'number'],
    [undefined, 'undefined'],
    [null, 'object'],
  ])('%j is refused before anything is held', async (user, problem) => {
    const { guard, sink } = benchOf([usdBudget('1')]);
    const request = callOf(10, { identity: { user } as never });
    await expect(guard.reserve(request)).rejects.toThrow(InvalidArgumentError);
    await expect(guard.reserve(request)).rejects.toThrow(problem);
    expect((await sink.verify()).reservations).toBe(0);
  });

  test('of 256 characters is taken', async () => {
    const { guard } = benchOf([usdBudget('1')]);
    await admit(guard, callOf(10, { identity: { user: 'x'.repeat(256) } }));
  });
});

describe('secrets', () => {
  const API_KEY = 'sk-live-0123456789abcdef';
  const HASHED = '8598adc12a31721c'; // the first 16 hex digits of its SHA-256

  async function everythingAbout(identity: Identity, secrets?: readonly string[]) {
    const events: GuardEvent[] = [];
    const errors: unknown[] = [];
    const budgets = [
      usdBudget('0.001', { name: 'per-key', per: ['apiKey'], warnAt: [0.1] }),
      usdBudget('1', { name: 'per-token', per: ['token'] }),
    ];
    const { guard, sink } = benchOf(budgets, {
      onEvent: (event) => {
        events.push(event);
      },
      ...(secrets === undefined ? {} : { secrets }),
    });
    const call = await admit(guard, callOf(100, { identity }));
    await call.settle({ outcome: 'known', usage: usageOf({ output: 100 }) });
    const denial = await denialFor(guard, callOf(100, { identity }));
    const error = new BudgetExceededError(denial);
    errors.push(error.message, error, await toHttpResponse(error).text(), toSseEvent(error));
    const none = guard.reserve(callOf(1, { identity: { sessionToken: API_KEY } }));
    await none.catch((missing: unknown) => errors.push(String(missing), missing));
    await guard
      .reserve(callOf(1, { identity: { apiKey: API_KEY.repeat(99) } }))
      .catch((bad: unknown) => {
        errors.push(String(bad), bad);
      });
    const ledger = await collect(guard.ledger({ identity }));
    const entries = await collect(sink.entries());
    const status = await guard.status(identity);
    expect(ledger).toHaveLength(1);
    expect(status).not.toHaveLength(0);
    return JSON.stringify({
      events,
      errors,
      ledger,
      entries,
      status,
      verify: await guard.verify(),
    });
  }

  test('an apiKey shows nowhere; its hash does', async () => {
    const text = await everythingAbout({ apiKey: API_KEY });
    expect(text).not.toContain(API_KEY);
    expect(text).not.toContain(API_KEY.slice(8));
    expect(text).toContain(`per-key|apiKey=${HASHED}`);
  });

  test('nor does a dimension that was marked; the apiKey stays one', async () => {
    const text = await everythingAbout({ apiKey: API_KEY, token: 'tok-secret' }, ['token']);
    expect(text).not.toContain(API_KEY);
    expect(text).not.toContain('tok-secret');
    expect(text).toMatch(/per-token\|token=[0-9a-f]{16}/);
  });

  test('a sink is not shown them either, when the ledger is asked', async () => {
    const { guard, sink } = benchOf([usdBudget('1')]);
    const asked: unknown[] = [];
    const entries = sink.entries.bind(sink);
    sink.entries = (query) => {
      asked.push(query);
      return entries(query);
    };
    await collect(guard.ledger({ identity: { apiKey: API_KEY }, budget: 'cap', model: 'small' }));
    expect(asked).toEqual([{ budget: 'cap' }]);
  });
});
