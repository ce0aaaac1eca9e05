import { createHmac, randomBytes } from 'node:crypto';
import { Webhook as Verifier } from 'standardwebhooks';
import { describe, expect, test, vi } from 'vitest';
import type { Budget, GuardEvent } from '../src/index.ts';
import { type WebhookFailure, type WebhookOptions, webhook } from '../src/webhook.ts';
import { DAY, NOON, testClock } from './support/clock.ts';
import { admit, benchOf, callOf, denialFor, usageOf } from './support/guard.ts';
import { type Answer, type Receiver, receiver } from './support/receiver.ts';

const SECRET = `whsec_${randomBytes(32).toString('base64')}`;

type Crossing = Extract<GuardEvent, { type: 'threshold-crossed' }>;

function crossing(threshold: number, others: Partial<Crossing> = {}): Crossing {
  return {
    type: 'threshold-crossed',
    budget: 'daily',
    account: 'daily|user=ann',
    unit: 'usd',
    threshold,
    committed: 800_000,
    limit: 1_000_000,
    window: { id: 'day:2026-11-30T00:00:00Z', startsAt: NOON - DAY / 2, endsAt: NOON + DAY / 2 },
    at: NOON,
    ...others,
  };
}

/** A webhook to a server that answers so, with what it waited and what it gave up. */
async function stage(answers: readonly Answer[], options: Partial<WebhookOptions> = {}) {
  const server = await receiver(...answers);
  const waits: number[] = [];
  const failures: WebhookFailure[] = [];
  const hook = webhook({
    url: server.url,
    secret: SECRET,
    wait: async (ms) => {
      waits.push(ms);
    },
    onFailure: (failure) => failures.push(failure),
    ...options,
  });
  return {
    hook,
    server,
    waits,
    failures,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

function typesOf({ deliveries }: Receiver): string[] {
  return deliveries.map(({ body }) => JSON.parse(body).type);
}

describe('a delivery', () => {
  test('is verified by the library of the convention, and says what happened', async () => {
    await using scene = await stage([]);
    scene.hook(crossing(0.8));
    await scene.hook.flush();
    const [delivery] = scene.server.deliveries;
    const verifier = new Verifier(SECRET);
    const headers = delivery?.headers as Record<string, string>;
    expect(verifier.verify(delivery?.body ?? '', headers)).toEqual({
      type: 'hardcap.threshold-crossed',
      timestamp: '2026-11-30T12:00:00Z',
      data: crossing(0.8),
    });
    const wrong = new Verifier(`whsec_${randomBytes(32).toString('base64')}`);
    expect(() => wrong.verify(delivery?.body ?? '', headers)).toThrow();
    expect(() => verifier.verify(`${delivery?.body} `, headers)).toThrow();
    expect(headers['content-type']).toBe('application/json');
    expect(scene.failures).toEqual([]);
  });

  test('has the HMAC-SHA256 of its id, its time and its body', async () => {
    await using scene = await stage([], { now: () => NOON + 1_999, headers: { 'x-team': 'ops' } });
    scene.hook(crossing(0.8));
    await scene.hook.flush();
    const { headers, body } = scene.server.deliveries[0] as { headers: object; body: string };
    const time = String(NOON / 1_000 + 1);
    const { 'webhook-id': id, 'webhook-timestamp': timestamp } = headers as Record<string, string>;
    expect(id).toMatch(/^hardcap_[0-9a-f]{32}$/);
    expect(timestamp).toBe(time);
    const key = Buffer.from(SECRET.slice('whsec_'.length), 'base64');
    const digest = createHmac('sha256', key).update(`${id}.${time}.${body}`).digest('base64');
    expect(headers).toMatchObject({ 'webhook-signature': `v1,${digest}`, 'x-team': 'ops' });
  });

  test('that is repeated has the same id and a new time; another event has another id', async () => {
    const clock = testClock();
    const now = () => {
      clock.advance(60_000);
      return clock.now();
    };
    await using scene = await stage([503, 204, 204], { now });
    scene.hook(crossing(0.8));
    scene.hook(crossing(1));
    await scene.hook.flush();
    const ids = scene.server.deliveries.map(({ headers }) => headers['webhook-id']);
    const times = scene.server.deliveries.map(({ headers }) => headers['webhook-timestamp']);
    expect(ids[0]).toBe(ids[1]);
    expect(new Set(ids).size).toBe(2);
    expect(new Set(times).size).toBe(3);
  });

  test('of one event has one id, whoever sends it; a later crossing has another', async () => {
    await using one = await stage([]);
    await using other = await stage([]);
    one.hook(crossing(0.8));
    other.hook(crossing(0.8));
    other.hook(crossing(0.8, { at: NOON + 1 }));
    await Promise.all([one.hook.flush(), other.hook.flush()]);
    const idOf = ({ server }: typeof one, place: number) =>
      server.deliveries[place]?.headers['webhook-id'];
    expect(idOf(one, 0)).toBe(idOf(other, 0));
    expect(idOf(other, 1)).not.toBe(idOf(other, 0));
  });
});

describe('what is not taken is sent again', () => {
  test.each<[string, Answer]>([
    ['500', 500],
    ['503', 503],
    ['429', 429],
    ['a connection that breaks', 'hang-up'],
  ])('after %s, later each time', async (_, answer) => {
    await using scene = await stage([answer, answer, answer]);
    scene.hook(crossing(0.8));
    await scene.hook.flush();
    expect(scene.server.deliveries).toHaveLength(4);
    expect(scene.failures).toEqual([]);
    for (const [place, longest] of [1_000, 2_000, 4_000].entries()) {
      expect(scene.waits[place]).toBeGreaterThanOrEqual(longest / 2);
      expect(scene.waits[place]).toBeLessThanOrEqual(longest);
    }
  });

  test('after an answer that does not come in time', async () => {
    await using scene = await stage(['silence'], { timeoutMs: 50 });
    scene.hook(crossing(0.8));
    await scene.hook.flush();
    expect(scene.server.deliveries).toHaveLength(2);
    expect(scene.failures).toEqual([]);
  });

  test.each([
    ['30', 30_000],
    [new Date(NOON + 45_000).toUTCString(), 45_000],
    ['86400', 600_000],
  ])('not before the time that is asked for: %s', async (text, expected) => {
    const busy: Answer = (response) => response.writeHead(429, { 'retry-after': text }).end();
    await using scene = await stage([busy], { now: () => NOON });
    scene.hook(crossing(0.8));
    await scene.hook.flush();
    expect(scene.waits).toEqual([expected]);
  });

  test.each([400, 401, 404, 410, 301])(
    'not after %d, which repeating would not change',
    async (status) => {
      await using scene = await stage([status]);
      scene.hook(crossing(0.8));
      scene.hook(crossing(1));
      await scene.hook.flush();
      expect(scene.server.deliveries).toHaveLength(2);
      expect(scene.failures).toEqual([
        { event: crossing(0.8), reason: 'refused', attempts: 1, status },
      ]);
    },
  );

  test('and is not handed to where a redirect points', async () => {
    await using other = await receiver();
    const away: Answer = (response) => response.writeHead(307, { location: other.url }).end();
    await using scene = await stage([away]);
    scene.hook(crossing(0.8));
    await scene.hook.flush();
    expect(scene.failures).toMatchObject([{ reason: 'refused', attempts: 1, status: 307 }]);
    expect(other.deliveries).toEqual([]);
  });

  test('so many times, and then given up; the next event has its turn', async () => {
    await using scene = await stage([500, 502, 503], { maxAttempts: 3 });
    scene.hook(crossing(0.8));
    scene.hook(crossing(1));
    await scene.hook.flush();
    expect(scene.failures).toEqual([
      { event: crossing(0.8), reason: 'unreachable', attempts: 3, status: 503 },
    ]);
    expect(scene.server.deliveries).toHaveLength(4);
  });

  test('nowhere, when nobody is there: that is told', async () => {
    const gone = await receiver();
    await gone[Symbol.asyncDispose]();
    await using scene = await stage([], { url: gone.url, maxAttempts: 2 });
    scene.hook(crossing(0.8));
    await scene.hook.flush();
    expect(scene.failures).toMatchObject([
      { reason: 'unreachable', attempts: 2, status: null, error: expect.any(TypeError) },
    ]);
  });
});

describe('the queue', () => {
  test('keeps the order, and has an end: what comes on top is given up at once', async () => {
    await using scene = await stage([503], { maxQueue: 3 });
    for (const share of [0.1, 0.2, 0.3, 0.4]) scene.hook(crossing(share));
    expect(scene.failures).toMatchObject([{ reason: 'queue-full', attempts: 0, status: null }]);
    await scene.hook.flush();
    const shares = scene.server.deliveries.map(({ body }) => JSON.parse(body).data.threshold);
    expect(shares).toEqual([0.1, 0.1, 0.2, 0.3]);
    scene.hook(crossing(0.5));
    await scene.hook.flush();
    expect(scene.failures).toHaveLength(1);
  });

  test('that is empty is flushed at once', async () => {
    await using scene = await stage([]);
    await expect(scene.hook.flush()).resolves.toBeUndefined();
  });
});

describe('nothing is thrown at the guard', () => {
  test('for an event that is no JSON, a filter or a listener that throws', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {});
    await using scene = await stage([], {
      filter: ({ type }) => {
        if (type === 'store-reset') throw new Error('filter');
        return true;
      },
    });
    const error: { self?: unknown } = {};
    error.self = error;
    scene.hook({ type: 'sink-unavailable', operation: 'read', error });
    scene.hook({ type: 'store-reset', at: NOON });
    expect(scene.failures).toMatchObject([{ reason: 'unsendable' }, { reason: 'unsendable' }]);
    await using other = await stage([400], {
      onFailure: () => {
        throw new Error('listener');
      },
    });
    other.hook(crossing(0.8));
    await other.hook.flush();
    expect(logged).toHaveBeenCalledOnce();
    logged.mockRestore();
  });

  test('and failures that nobody listens to are on the console', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {});
    await using server = await receiver(400);
    const hook = webhook({ url: server.url, secret: SECRET });
    hook(crossing(0.8));
    await hook.flush();
    expect(logged.mock.calls[0]?.[0]).toBe(
      'hardcap: a webhook for "threshold-crossed" was not delivered: refused after 1 attempts, status 400',
    );
    logged.mockRestore();
  });
});

describe('with a guard', () => {
  const DAILY: Budget = {
    name: 'daily',
    per: ['user'],
    limit: { usd: '0.001' },
    window: { calendar: 'day' },
    warnAt: [0.5, 0.8],
  };

  test('case C-99: several thresholds of a budget are received once each, in order', async () => {
    await using scene = await stage([]);
    const { guard } = benchOf([DAILY], { onEvent: scene.hook, identity: { user: 'ann' } });
    const call = await admit(guard, callOf(50));
    await call.settle({ outcome: 'known', usage: usageOf({ output: 120 }) });
    await denialFor(guard, callOf(1));
    await scene.hook.flush();
    const shares = scene.server.deliveries.map(({ body }) => JSON.parse(body).data.threshold);
    expect(shares).toEqual([0.5, 0.8, 1]);
  });

  test('sends what the filter lets pass; errors with their message, secrets as hashes', async () => {
    await using scene = await stage([], { filter: () => true });
    const budgets = [DAILY];
    const { guard, sink } = benchOf(budgets, { onEvent: scene.hook, identity: { user: 'ann' } });
    await denialFor(guard, callOf(101, { identity: { apiKey: 'sk-secret' } }));
    sink.read = () => Promise.reject(new Error('connection lost'));
    await guard.status().catch(() => {});
    await scene.hook.flush();
    expect(typesOf(scene.server)).toEqual(['hardcap.denied', 'hardcap.sink-unavailable']);
    const [denied, failed] = scene.server.deliveries.map(({ body }) => body);
    expect(denied).not.toContain('sk-secret');
    expect(JSON.parse(failed ?? '').data.error).toEqual({
      name: 'Error',
      message: 'connection lost',
    });
  });
});
