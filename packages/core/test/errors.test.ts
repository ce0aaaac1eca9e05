import { describe, expect, test } from 'vitest';
import { type Denial, denialOf, type Refusal } from '../src/denial.ts';
import { decidingRefusal } from '../src/errors.ts';
import {
  BudgetExceededError,
  ConfigError,
  HardcapError,
  InvalidArgumentError,
  MissingIdentityError,
  ReservationMismatchError,
  SinkUnavailableError,
  UnpricedModelError,
} from '../src/index.ts';
import { NOON } from './support/clock.ts';
import { refusalOf } from './support/refusal.ts';

const DENIAL = denialOf([refusalOf()]);

const ERRORS = [
  [new BudgetExceededError(DENIAL), BudgetExceededError, 'BUDGET_EXCEEDED'],
  [new ConfigError('c'), ConfigError, 'CONFIG_INVALID'],
  [new MissingIdentityError('m'), MissingIdentityError, 'IDENTITY_MISSING'],
  [new InvalidArgumentError('i'), InvalidArgumentError, 'INVALID_ARGUMENT'],
  [new UnpricedModelError('acme', 'newest', 'why'), UnpricedModelError, 'MODEL_UNPRICED'],
  [new ReservationMismatchError('r1'), ReservationMismatchError, 'RESERVATION_MISMATCH'],
  [new SinkUnavailableError('s'), SinkUnavailableError, 'SINK_UNAVAILABLE'],
] as const;

describe('case C-95: every error', () => {
  test.each(ERRORS)('$code: has a stable code, and is told from all others', (error, own, code) => {
    expect(error.code).toBe(code);
    expect(error.name).toBe(own.name);
    expect(HardcapError.isInstance(error)).toBe(true);
    const taken = ERRORS.filter(([, kind]) => kind.isInstance(error)).map(([, kind]) => kind);
    expect(taken).toEqual([own]);
  });

  test('is recognised by another copy of the package', async () => {
    const copy: typeof import('../src/errors.ts') = await import('../src/errors.ts?copy' as never);
    expect(copy.HardcapError).not.toBe(HardcapError);
    const theirs = new copy.BudgetExceededError(DENIAL);
    expect(theirs).not.toBeInstanceOf(BudgetExceededError);
    expect(BudgetExceededError.isInstance(theirs)).toBe(true);
    expect(HardcapError.isInstance(theirs)).toBe(true);
    expect(ConfigError.isInstance(theirs)).toBe(false);
    expect(copy.SinkUnavailableError.isInstance(new SinkUnavailableError('s'))).toBe(true);
    expect(BudgetExceededError.find(new Error('wrapped', { cause: theirs }))).toBe(theirs);
  });

  test.each([
    undefined,
    null,
    5,
    'BUDGET_EXCEEDED',
    {},
    { code: 'BUDGET_EXCEEDED' },
    new Error('x'),
  ])('%j is none', (value) => {
    expect(HardcapError.isInstance(value)).toBe(false);
    expect(BudgetExceededError.isInstance(value)).toBe(false);
  });
});

describe('BudgetExceededError.find', () => {
  const error = new BudgetExceededError(DENIAL);
  const wrapped = (cause: unknown) => new Error('wrapped', { cause });

  test.each<[string, unknown]>([
    ['the error itself', error],
    ['a cause', wrapped(error)],
    ['a cause of a cause', wrapped(wrapped(wrapped(error)))],
    ['one of many', new AggregateError([new Error('x'), wrapped(error)])],
    ['the last of several tries', Object.assign(new Error('retry'), { lastError: wrapped(error) })],
    ['a plain object', { errors: [null, 'x', { lastError: error }] }],
  ])('finds it in %s', (_, outer) => {
    expect(BudgetExceededError.find(outer)).toBe(error);
  });

  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['a string', 'BudgetExceededError'],
    ['another error', new SinkUnavailableError('s', { cause: new Error('x') })],
    ['errors that are no list', { errors: { 0: error } }],
  ])('does not in %s', (_, outer) => {
    expect(BudgetExceededError.find(outer)).toBeUndefined();
  });

  test('takes the one least deep', () => {
    const other = new BudgetExceededError(DENIAL);
    expect(BudgetExceededError.find({ errors: [wrapped(other), error] })).toBe(error);
  });

  test('ends where errors are tangled', () => {
    const loop: Record<string, unknown> = {};
    const knot = Array.from({ length: 50 }, () => ({ cause: loop, errors: [loop] }));
    Object.assign(loop, { cause: loop, lastError: knot[0], errors: knot });
    expect(BudgetExceededError.find(loop)).toBeUndefined();
    knot[49]?.errors.push(error as never);
    expect(BudgetExceededError.find(loop)).toBe(error);
  });
});

describe('the message of a denial', () => {
  const messageOf = (...refusals: Partial<Refusal>[]) =>
    new BudgetExceededError(denialOf(refusals.map(refusalOf))).message;

  test('names every account with its figures, and what to do', () => {
    expect(
      messageOf(
        { budget: 'daily', account: 'daily|user=ann', kind: 'spent', resetsAt: NOON },
        { budget: 'tpm', account: 'tpm|user=ann', unit: 'tokens', kind: 'held' },
      ),
    ).toBe(
      'Budget "daily" (account daily|user=ann) is spent: $0.00000004 spent and $0.00000003 held of ' +
        '$0.0000001, $0.00000005 asked for. Top it up, or wait until it resets at ' +
        '2026-11-30T12:00:00Z. ' +
        'Budget "tpm" (account tpm|user=ann) is held by open calls: 40 tokens spent and 30 tokens held ' +
        'of 100 tokens, 50 tokens asked for. Try again once an open call has settled.',
    );
  });

  test('says what is too large, and what is blocked', () => {
    expect(messageOf({ kind: 'too-large' })).toMatch(
      /cannot carry this call:.*Ask for less output/,
    );
    expect(messageOf({ kind: 'blocked' })).toBe(
      'Budget "b" (account b) is blocked. Unblock it to go on.',
    );
  });

  test('can be made of any reset time', () => {
    expect(messageOf({ resetsAt: Number.MAX_SAFE_INTEGER })).toMatch(/resets at \+275760-/);
  });

  test('does not tell anybody to wait for a reset that never comes', () => {
    const never = { resetsAt: null } as const;
    expect(messageOf({ kind: 'spent', ...never })).toMatch(/asked for\. Top it up\.$/);
    expect(messageOf({ kind: 'too-large', ...never })).toMatch(
      /Ask for less output, or top it up\.$/,
    );
  });
});

describe('case C-96: whether and when to try again', () => {
  const of = (...refusals: Partial<Refusal>[]) => denialOf(refusals.map(refusalOf));
  const held = { kind: 'held', retryAfterMs: null } as const;
  const hour = { kind: 'spent', retryAfterMs: 3_600_000 } as const;
  const minute = { kind: 'too-large', retryAfterMs: 60_000 } as const;
  const never = { kind: 'too-large', retryAfterMs: null } as const;

  test.each<[string, Denial, boolean, number | null]>([
    ['held', of(held), true, null],
    ['all held', of(held, held), true, null],
    ['spent', of(hour), false, 3_600_000],
    ['the longest counts', of(minute, hour), false, 3_600_000],
    ['held accounts wait for the others', of(held, minute), false, 60_000],
    ['never', of(never), false, null],
    ['never, whatever the others do', of(hour, never, held), false, null],
    ['held for a time that is known', of({ ...held, retryAfterMs: 500 }), true, 500],
  ])('%s', (_, denial, retryable, retryAfterMs) => {
    expect(denial).toMatchObject({ retryable, retryAfterMs });
    expect(new BudgetExceededError(denial)).toMatchObject({ retryable, retryAfterMs });
  });

  test('the refusal that keeps out longest decides', () => {
    const decides = (denial: Denial) => denial.refusals.indexOf(decidingRefusal(denial));
    expect(decides(of(held, minute, hour))).toBe(2);
    expect(decides(of(hour, never, minute))).toBe(1);
    expect(decides(of(held, { ...held }))).toBe(0);
    expect(() => decidingRefusal({ refusals: [], retryable: false, retryAfterMs: null })).toThrow(
      InvalidArgumentError,
    );
  });

  test('the status is that of its unit', () => {
    const tokens = { unit: 'tokens' } as const;
    expect(new BudgetExceededError(of(hour)).status).toBe(402);
    expect(new BudgetExceededError(of({ ...hour, ...tokens })).status).toBe(429);
    expect(new BudgetExceededError(of(minute, { ...hour, ...tokens })).status).toBe(429);
    expect(new BudgetExceededError(of(hour, { ...held, ...tokens })).status).toBe(402);
  });

  test('LangChain is told not to retry, where no log shows it', () => {
    const error = new BudgetExceededError(of(held));
    expect(Reflect.get(error, Symbol.for('langchain.errors.retryable'))).toBe(false);
    expect(Object.getOwnPropertySymbols({ ...error })).toEqual([]);
  });
});
