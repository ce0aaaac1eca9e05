import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Budget,
  createSpendGuard,
  type GuardEvent,
  type Reservation,
  SinkUnavailableError,
  type SpendCall,
  type SpendGuard,
  type SpendGuardOptions,
} from '@hardcap/core';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { TestRedis } from '../../packages/redis/test/support/test-redis.ts';
import { start } from '../processes.ts';
import { OUTAGE_BUDGET, request, used } from './outage.ts';

const TTL_MS = 60_000;
/** A client may take seconds to find a server again. */
const SOON = { timeout: 15_000 };

vi.setConfig({ testTimeout: 40_000 });

let redis: TestRedis;
const guards: SpendGuard[] = [];

afterEach(async () => {
  redis.server.signal('SIGCONT');
  await Promise.all(guards.splice(0).map((guard) => guard.close({ timeoutMs: 5_000 })));
  await redis.stop();
});

interface Process {
  readonly guard: SpendGuard;
  readonly events: GuardEvent[];
}

/** A guard with a connection of its own, as in another process. */
function begin(
  budgets: readonly Budget[] = [OUTAGE_BUDGET],
  options: Partial<SpendGuardOptions> = {},
): Process {
  const events: GuardEvent[] = [];
  const guard = createSpendGuard({
    budgets,
    sink: redis.sink({ timeoutMs: 1_500 }),
    timeoutMs: 1_000,
    reservationTtlMs: TTL_MS,
    onEvent: (event) => void events.push(event),
    ...options,
  });
  guards.push(guard);
  return { guard, events };
}

const reserve = ({ guard }: Process, tokens: number, user?: string) =>
  guard.reserve(request(tokens, user));

async function admit(process: Process, tokens: number, user?: string): Promise<SpendCall> {
  const reservation = await reserve(process, tokens, user);
  if (reservation.admitted) return reservation.call;
  throw new Error(`Refused: ${JSON.stringify(reservation.denial)}`);
}

const spend = (call: SpendCall, output: number) => call.settle(used(output));

function kindsOf(reservation: Reservation): (string | undefined)[] {
  if (reservation.admitted) return ['admitted'];
  return reservation.denial.refusals.map(({ kind, limitFrom }) => limitFrom ?? kind);
}

const countOf = ({ events }: Process, type: GuardEvent['type']) =>
  events.filter((event) => event.type === type).length;

/** The settled spend and the open holds of a user; a client may still be on its way back to the server. */
async function expectFigures({ guard }: Process, expected: number[], user = 'ann'): Promise<void> {
  const figures = async () => {
    const [status] = await guard.status({ user }).catch(() => []);
    return [status?.committed, status?.held];
  };
  await expect.poll(figures, SOON).toEqual(expected);
}

/** Until everything is sent, and the books say so. */
async function settled(process: Process): Promise<void> {
  await expect.poll(() => process.guard.flush({ timeoutMs: 500 }), SOON).toEqual({ unsent: 0 });
  const verified = () => process.guard.verify().catch(() => null);
  await expect.poll(verified, SOON).toMatchObject({ reservations: 0, differences: [] });
}

/** Ways in which a server is away, and how it comes back. */
const OUTAGES: readonly [string, () => Promise<() => Promise<void>>][] = [
  [
    'hangs (SIGSTOP)',
    async () => {
      redis.server.signal('SIGSTOP');
      return async () => redis.server.signal('SIGCONT');
    },
  ],
  [
    'is killed (-9) and starts again on its append-only file',
    async () => {
      await redis.server.kill();
      return () => redis.server.crash();
    },
  ],
];

describe.each(OUTAGES)('a Redis that %s', (_, away) => {
  const connected = async () => {
    redis = await TestRedis.start('--appendonly', 'yes', '--appendfsync', 'always');
    const process = begin();
    // Connected, and everything loaded.
    await spend(await admit(process, 10), 10);
    return process;
  };

  test('case C-48: admits up to the emergency limit, of parallel calls too, and charges each once later', async () => {
    const process = await connected();
    const known = await admit(process, 100);
    const before = countOf(process, 'admitted-without-sink');
    const back = await away();
    const answers = await Promise.all(Array.from({ length: 40 }, () => reserve(process, 20)));
    const calls = answers.flatMap((each) => (each.admitted ? [each.call] : []));
    expect(calls).toHaveLength(15);
    expect(kindsOf(await reserve(process, 1))).toEqual(['emergencyLimit']);
    expect(kindsOf(await reserve(process, 1, 'bob'))).toEqual(['admitted']);
    // One is cut off before the provider is asked, one breaks in mid-call, the others go well.
    const [unsent, broken, ...others] = calls;
    await unsent?.release();
    await broken?.settle({ outcome: 'unknown' });
    const ended = await Promise.all(others.map((call) => spend(call, 15)));
    expect(new Set(ended.map(({ status }) => status))).toEqual(new Set(['queued']));
    await spend(known, 70);
    await back();
    await settled(process);
    await expectFigures(process, [10 + 70 + 20 + 13 * 15, 0]);
    expect(countOf(process, 'admitted-without-sink') - before).toBe(16);
    expect(countOf(process, 'settlements-lost')).toBe(0);
    // The next outage begins with the whole of the emergency limit.
    const again = await away();
    expect(kindsOf(await reserve(process, 300))).toEqual(['admitted']);
    await again();
  });

  test('case C-48: keeps out who was denied, and lets in who was not', async () => {
    const process = await connected();
    await spend(await admit(process, 990), 990);
    expect(kindsOf(await reserve(process, 1))).toEqual(['spent']);
    const back = await away();
    expect(kindsOf(await reserve(process, 1))).toEqual(['spent']);
    const call = await admit(process, 50, 'bob');
    await back();
    await spend(call, 40);
    await settled(process);
    await expectFigures(process, [1_000, 0]);
    await expectFigures(process, [40, 0], 'bob');
  });

  test('is denied to calls of which one budget denies, and holds nothing for them later', async () => {
    const process = await connected();
    const both = begin([
      OUTAGE_BUDGET,
      { name: 'all', per: [], limit: { tokens: 500 }, window: 'total' },
    ]);
    await (await admit(both, 1)).release();
    const back = await away();
    await expect(reserve(both, 5)).rejects.toSatisfy(SinkUnavailableError.isInstance);
    await back();
    await settled(process);
    await expectFigures(both, [10, 0]);
  });

  test('lets a stream go on, up to the emergency limit', async () => {
    const process = await connected();
    const reserved = await process.guard.reserve({ ...request(900), estimate: 'none' });
    if (!reserved.admitted) throw new Error('refused');
    const { call } = reserved;
    const meter = () => call.meter({ text: ' word'.repeat(20) });
    expect(await meter()).toBe(true);
    const back = await away();
    let passed = 0;
    while ((await meter()) && passed < 100) passed += 1;
    expect(passed).toBeGreaterThan(2);
    expect(passed).toBeLessThan(40);
    expect(call.stopReason).toMatchObject({
      denial: { refusals: [{ limitFrom: 'emergencyLimit' }] },
    });
    await spend(call, 500);
    await back();
    await settled(process);
    await expectFigures(process, [510, 0]);
  });
});

test('what a process admitted while Redis hung is in its journal when it is killed, and charged by the next', async () => {
  redis = await TestRedis.start();
  const folder = mkdtempSync(join(tmpdir(), 'hardcap-outage-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const journal = join(folder, 'journal');
  const { child, ended } = start<string>(
    new URL('outage-worker.ts', import.meta.url),
    `${redis.server.port}`,
    journal,
  );
  expect((await once(child, 'message'))[0]).toBe('settled');
  redis.server.signal('SIGSTOP');
  child.send('go on');
  expect((await once(child, 'message'))[0]).toBe('queued');
  child.kill('SIGKILL');
  await ended;
  redis.server.signal('SIGCONT');
  const next = begin([OUTAGE_BUDGET], { journal });
  await settled(next);
  await expectFigures(next, [60, 0]);
  expect(await next.guard.verify()).toMatchObject({ entries: 2 });
});
