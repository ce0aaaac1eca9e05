import { describe, expect, test } from 'vitest';
import { denialOf, type Refusal } from '../src/denial.ts';
import {
  BudgetExceededError,
  ConfigError,
  type HardcapError,
  InvalidArgumentError,
  MissingIdentityError,
  ReservationMismatchError,
  SinkUnavailableError,
  toHttpResponse,
  toSseEvent,
  UnpricedModelError,
} from '../src/index.ts';
import { NOON } from './support/clock.ts';
import { refusalOf } from './support/refusal.ts';

function exceeded(...refusals: Partial<Refusal>[]): BudgetExceededError {
  return new BudgetExceededError(denialOf(refusals.map(refusalOf)));
}

const HOUR = { kind: 'spent', retryAfterMs: 3_600_000, resetsAt: NOON } as const;
const HELD = { kind: 'held', unit: 'tokens' } as const;

describe('case C-95: the status', () => {
  test.each<[HardcapError, number]>([
    [exceeded(HOUR), 402],
    [exceeded({ ...HOUR, unit: 'tokens' }), 429],
    [exceeded({ ...HOUR, unit: 'requests' }), 429],
    [exceeded({ ...HOUR, unit: 'concurrent' }), 429],
    [new SinkUnavailableError('s'), 503],
    [new ConfigError('c'), 503],
    [new UnpricedModelError('p', 'm', 'r'), 503],
    [new MissingIdentityError('m'), 403],
    [new InvalidArgumentError('i'), 400],
    [new ReservationMismatchError('r'), 409],
  ])('of %s is %i', async (error, status) => {
    const response = toHttpResponse(error);
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(await response.json()).toMatchObject({
      type: `urn:hardcap:${error.code.toLowerCase().replaceAll('_', '-')}`,
      title: expect.stringMatching(/\w/),
      status,
      detail: error.message,
      code: error.code,
    });
  });

  test('can be chosen otherwise', async () => {
    const response = toHttpResponse(exceeded(HOUR), {
      status: ({ code, unit, status }) =>
        code === 'BUDGET_EXCEEDED' && unit === 'usd' ? 403 : status,
    });
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ status: 403 });
    const status = () => 418;
    expect(toHttpResponse(new ConfigError('c'), { status }).status).toBe(418);
  });
});

describe('Retry-After', () => {
  test.each<[string, HardcapError, string | null]>([
    ['is the wait in seconds', exceeded(HOUR), '3600'],
    ['rounds up', exceeded({ ...HOUR, retryAfterMs: 1_001 }), '2'],
    ['is soon where calls are under way', exceeded(HELD), '1'],
    ['is the longest wait', exceeded(HELD, HOUR), '3600'],
    ['is not there where no time is known', exceeded({ kind: 'too-large' }), null],
    ['is not there for other errors', new SinkUnavailableError('s'), null],
  ])('%s', (_, error, seconds) => {
    expect(toHttpResponse(error).headers.get('retry-after')).toBe(seconds);
  });
});

describe('case C-47: the body of a denial', () => {
  test('has the figures of the refusal that decides, and all others', async () => {
    const error = exceeded(HELD, { ...HOUR, budget: 'daily', account: 'daily|user=ann' });
    expect(await toHttpResponse(error).json()).toEqual({
      type: 'urn:hardcap:budget-exceeded',
      title: 'Spend budget exceeded',
      status: 402,
      detail: error.message,
      code: 'BUDGET_EXCEEDED',
      retryable: false,
      retryAfterMs: 3_600_000,
      budget: 'daily',
      account: 'daily|user=ann',
      unit: 'usd',
      limit: 100,
      committed: 40,
      held: 30,
      requested: 50,
      resetsAt: '2026-11-30T12:00:00Z',
      refusals: error.denial.refusals,
    });
  });

  test('has no reset where there is none', async () => {
    expect(await toHttpResponse(exceeded(HELD)).json()).toMatchObject({
      resetsAt: null,
      retryable: true,
    });
  });
});

describe('errors that are wrapped', () => {
  test('answer for the denial inside', () => {
    const wrapped = new AggregateError([new Error('x', { cause: exceeded(HOUR) })]);
    expect(toHttpResponse(wrapped).status).toBe(402);
    expect(toHttpResponse(new SinkUnavailableError('s', { cause: exceeded(HOUR) })).status).toBe(
      402,
    );
  });

  test.each([new Error('a bug'), undefined, 'text', { status: 402 }])(
    'that are not ours are not answered for: %s',
    (error) => {
      expect(() => toHttpResponse(error)).toThrow(InvalidArgumentError);
      expect(() => toSseEvent(error)).toThrow(/rethrow what is not/);
    },
  );

  test('and the one that was given is the cause', () => {
    const bug = new Error('a bug');
    expect(() => toHttpResponse(bug)).toThrow(expect.objectContaining({ cause: bug }));
  });
});

describe('toSseEvent', () => {
  test('is one event with the body of the response', async () => {
    const error = exceeded({ ...HOUR, account: 'b|user=a\nb' });
    const text = toSseEvent(error);
    const [name, data, ...end] = text.split('\n');
    expect([name, end]).toEqual(['event: error', ['', '']]);
    expect(JSON.parse((data as string).slice('data: '.length))).toEqual(
      await toHttpResponse(error).json(),
    );
  });
});
