// `npm run bench:redis`: the Redis sink against a script that does nothing and against
// rate-limiter-flexible, on a redis-server of its own.
import { Redis } from 'ioredis';
import { RedisServer } from '../packages/redis/test/support/redis-server.ts';
import { type Gate, report } from './gate.ts';
import { microsecondsOf, reportFloor } from './redis-floor.ts';
import { leaseGates } from './redis-leases.ts';
import { inParallel, PROCESSES, RedisLoad } from './redis-load.ts';
import { sweepGate } from './redis-sweep.ts';
import { medianOf, quietNanoseconds, quietOf } from './rounds.ts';

const server = await RedisServer.start();
const load = new RedisLoad(new Redis(server.port));
await load.prepare();

/** Microseconds of the server for an operation, so many of them at once. */
async function serverTime(
  count: number,
  width: number,
  work: (worker: number) => Promise<unknown>,
): Promise<number> {
  await load.client.config('RESETSTAT');
  await inParallel(count, width, work);
  return (await microsecondsOf(load.client)) / count;
}

async function latencyGate(): Promise<Gate> {
  const times: { sink: number[]; noop: number[] } = { sink: [], noop: [] };
  const timed = async (into: number[], work: () => Promise<unknown>) => {
    const startedAt = performance.now();
    await work();
    into.push((performance.now() - startedAt) * 1_000);
  };
  for (let call = 0; call < 6_000; call += 1) {
    await timed(times.noop, () => load.noopReserve());
    const ids: string[] = [];
    await timed(times.sink, async () => ids.push(await load.reserve()));
    for (const id of ids) await load.settle(id);
  }
  const [sink, noop] = [medianOf(times.sink), medianOf(times.noop)];
  const atMost = Math.max(1.2, (noop + 20) / noop);
  const note = `${noop.toFixed(0)} us for a no-op, ${sink.toFixed(0)} us`;
  return { what: 'reserve, one at a time, p50', measured: sink / noop, atMost, unit: 'x', note };
}

async function pairGates(): Promise<Gate[]> {
  const at64 = (work: () => Promise<unknown>) => (count: number) => inParallel(count, 64, work);
  const pair = async () => load.settle(await load.reserve());
  const noop = async () => {
    await load.noopReserve();
    await load.noopSettle();
  };
  const contenders = [
    { name: 'sink', run: at64(pair) },
    { name: 'noop', run: at64(noop) },
    { name: 'limiter', run: at64(() => load.limiterPair()) },
  ];
  const times = await quietNanoseconds(contenders, { rounds: 21, count: 2_000 });
  const time = (name: string) => times.get(name) ?? Number.NaN;
  const rate = (name: string) => `${(1e6 / time(name)).toFixed(1)}k pairs/s`;
  const note = (name: string) => `${rate(name)}; the sink ${rate('sink')}`;
  const unit = 'x the time';
  return [
    {
      what: 'reserve+settle, 64 at once / no-op pair',
      measured: time('sink') / time('noop'),
      atMost: 1 / 0.85,
      unit,
      note: note('noop'),
    },
    {
      what: 'reserve+settle on 3 accounts / rate-limiter-flexible on 1 key',
      measured: time('sink') / time('limiter'),
      atMost: 1 / 0.9,
      unit,
      note: note('limiter'),
    },
  ];
}

const ROUNDS = 30;
const CALLS = 500;

/**
 * Of each operation the quietest tenth of rounds that take turns: 64 at once of one process, as they are
 * in the two gates above, and one at a time of each of 16 processes, in a script of its own.
 */
async function serverGates(): Promise<Gate[]> {
  const ids: string[] = [];
  const reserve = async (process: number) => ids.push(await load.reserve(process));
  const settle = (process: number) => load.settle(ids.shift() ?? '', process);
  const operations: readonly (readonly [string, number, (process: number) => Promise<unknown>])[] =
    [
      ['no-op', 0, () => load.noopReserve()],
      ['reserve', 10, reserve],
      ['settle', 6, settle],
      ['denial', 5, (process) => load.denied(process)],
    ];
  await inParallel(1_000, 64, () => reserve(0));
  const alone = new Map<string, number[]>(operations.map(([name]) => [name, []]));
  const together = new Map<string, number[]>(operations.map(([name]) => [name, []]));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, , work] of operations) {
      alone.get(name)?.push(await serverTime(CALLS, PROCESSES, work));
      together.get(name)?.push(await serverTime(CALLS, 64, () => work(0)));
    }
  }
  const of = (times: Map<string, number[]>, name: string) => quietOf(times.get(name) ?? []);
  const noop = `${of(alone, 'no-op').toFixed(2)} us for a no-op`;
  const gates = operations.slice(1).map(([name, atMost]): Gate => {
    const note = `${noop}; in a script of its own ${of(alone, name).toFixed(2)} us`;
    const what = `server time of a ${name}, 64 at once, 1,000 in flight`;
    return { what, measured: of(together, name), atMost, unit: 'us', note };
  });
  floor = new Map(operations.map(([name]) => [name, of(alone, name)]));
  await inParallel(100_000, 64, () => reserve(0));
  const large: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    large.push(await serverTime(CALLS, PROCESSES, reserve));
  }
  const [many, few] = [quietOf(large), of(alone, 'reserve')];
  return [
    ...gates,
    {
      what: 'server time of a reserve, 100,000 in flight / 1,000',
      measured: many / few,
      atMost: 1.3,
      unit: 'x',
      note: `${many.toFixed(1)} us and ${few.toFixed(1)} us, each in a script of its own`,
    },
  ];
}

let floor: ReadonlyMap<string, number> = new Map();
const gates = [
  await latencyGate(),
  ...(await pairGates()),
  ...(await serverGates()),
  await sweepGate(load.client),
  ...(await leaseGates(load.client)),
];
await reportFloor(load.client, floor);
load.client.disconnect();
await server.stop();
if (!report(gates)) {
  console.error('A gate does not hold.');
  process.exitCode = 1;
}
