// `npm run bench:redis`: the Redis sink against a script that does nothing and against
// rate-limiter-flexible, on a redis-server of its own.
import { Redis } from 'ioredis';
import { RedisServer } from '../packages/redis/test/support/redis-server.ts';
import { type Gate, report } from './gate.ts';
import { inParallel, RedisLoad } from './redis-load.ts';
import { quietNanoseconds } from './rounds.ts';

const server = await RedisServer.start();
const load = new RedisLoad(new Redis(server.port));
await load.prepare();

/** Microseconds of the server for a call of a script, while `work` runs. */
async function serverTime(count: number, work: () => Promise<unknown>): Promise<number> {
  await load.client.config('RESETSTAT');
  await inParallel(count, 16, work);
  const stats = await load.client.info('commandstats');
  return Number(/cmdstat_evalsha:calls=\d+,usec=\d+,usec_per_call=([\d.]+)/.exec(stats)?.[1]);
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
  const [sink, noop] = [median(times.sink), median(times.noop)];
  const atMost = Math.max(1.2, (noop + 20) / noop);
  const note = `${noop.toFixed(0)} us for a no-op, ${sink.toFixed(0)} us`;
  return { what: 'reserve, one at a time, p50', measured: sink / noop, atMost, unit: 'x', note };
}

function median(values: number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
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

async function serverGates(): Promise<Gate[]> {
  const ids: string[] = [];
  const reserve = async () => ids.push(await load.reserve());
  await inParallel(1_000, 64, reserve);
  const held = await serverTime(4_000, reserve);
  const settled = await serverTime(4_000, async () => load.settle(ids.pop() ?? ''));
  const denied = await serverTime(4_000, () => load.denied());
  const noop = await serverTime(4_000, () => load.noopReserve());
  const note = `${noop.toFixed(2)} us for a no-op`;
  const gate = (what: string, measured: number, atMost: number): Gate => {
    return { what: `server time of ${what}, 1,000 in flight`, measured, atMost, unit: 'us', note };
  };
  await inParallel(100_000, 64, reserve);
  const many = await serverTime(4_000, reserve);
  return [
    gate('reserve', held, 10),
    gate('settle', settled, 6),
    gate('a denial', denied, 5),
    {
      what: 'server time of reserve, 100,000 in flight / 1,000',
      measured: many / held,
      atMost: 1.3,
      unit: 'x',
      note: `${many.toFixed(1)} us and ${held.toFixed(1)} us`,
    },
  ];
}

const gates = [await latencyGate(), ...(await pairGates()), ...(await serverGates())];
load.client.disconnect();
await server.stop();
if (!report(gates)) {
  console.error('A gate does not hold.');
  process.exitCode = 1;
}
