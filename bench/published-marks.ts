// `npm run bench:marks`: the figures that others have published for budgets that processes share, and ours
// for the same, on a redis-server of its own.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { RedisUsageSink } from '@hardcap/redis';
import { Redis } from 'ioredis';
import { RedisServer } from '../packages/redis/test/support/redis-server.ts';
import { hammerAccounts, type RoundsReport, roundAccount, SMALLEST } from '../test/redis/fleet.ts';
import { type Gate, report } from './gate.ts';
import { ACCOUNTS, inParallel } from './redis-load.ts';

const PROCESSES = 8;
const ROUNDS = 10;
/** Of calls of 7,000 under a cap of 1,000,000. */
const PUBLISHED_ADMITTED = 142;
const CLIENTS = 200;
const PUBLISHED_PER_SECOND = 891;
const RESERVES = 20_000;
const PUBLISHED_OVERSHOOT = 2.5;

const server = await RedisServer.start();
const url = `redis://127.0.0.1:${server.port}`;

/** What each of eight processes says last. @param argsOf the arguments of a process */
async function eight<Report>(
  worker: string,
  argsOf: (process: number) => readonly string[],
): Promise<Report[]> {
  const path = fileURLToPath(new URL(`../test/redis/${worker}`, import.meta.url));
  const running = Array.from({ length: PROCESSES }, async (_, place) => {
    const child = fork(path, [`${server.port}`, ...argsOf(place)]);
    let last: unknown;
    child.on('message', (message) => {
      last = message;
    });
    const [code] = await once(child, 'close');
    if (code !== 0) throw new Error(`A process of the benchmark ended with ${code}.`);
    return last as Report;
  });
  return Promise.all(running);
}

async function admittedGates(sink: RedisUsageSink): Promise<Gate[]> {
  const reports = await eight<RoundsReport>('rounds-worker.ts', (place) => {
    return [`${ROUNDS}`, '30', `p${place}`];
  });
  const rounds = Array.from({ length: ROUNDS }, (_, round) => round);
  const admitted = rounds.map((round) =>
    reports.reduce((sum, report) => sum + (report.admitted[round] ?? 0), 0),
  );
  const readings = await sink.read(rounds.map(roundAccount));
  const asked = PROCESSES * 30;
  return [
    {
      what: `calls admitted by ${PROCESSES} processes in a round beyond ${PUBLISHED_ADMITTED}, or short of them`,
      measured: Math.max(...admitted.map((count) => Math.abs(count - PUBLISHED_ADMITTED))),
      atMost: 0,
      unit: 'calls',
      note: `published: ${PUBLISHED_ADMITTED} of ${PUBLISHED_ADMITTED} over 10 rounds; here ${[...new Set(admitted)].join(' or ')} of ${asked} asked in each of ${ROUNDS}`,
    },
    {
      what: 'left held after these rounds',
      measured: readings.reduce((sum, { held }) => sum + held, 0),
      atMost: 0,
      unit: 'nano-USD',
      note: 'published: 0 leaked',
    },
  ];
}

async function rateGate(): Promise<Gate> {
  const clients = Array.from({ length: CLIENTS }, () => new Redis(url));
  // One each, as in as many processes: none of their calls go together.
  const sinks = clients.map((client) => new RedisUsageSink(client, { timeoutMs: 30_000 }));
  const claims = ACCOUNTS.map((account) => ({ account, amount: 1_500 }));
  let made = 0;
  const reserve = async (client: number) => {
    made += 1;
    await sinks[client]?.reserve({ id: `m${made}`, claims, ttlMs: 600_000 });
  };
  // Each meets the store.
  await Promise.all(sinks.map((_, client) => reserve(client)));
  const startedAt = performance.now();
  await inParallel(RESERVES, CLIENTS, reserve);
  const perSecond = (RESERVES / (performance.now() - startedAt)) * 1e3;
  for (const client of clients) client.disconnect();
  return {
    what: `a reservation on ${ACCOUNTS.length} accounts, ${CLIENTS} clients at once`,
    measured: PUBLISHED_PER_SECOND / perSecond,
    atMost: 1,
    unit: 'x the time',
    note: `published: ${PUBLISHED_PER_SECOND}/s at ${CLIENTS} clients; here ${perSecond.toFixed(0)}/s`,
  };
}

async function overshootGates(sink: RedisUsageSink): Promise<Gate[]> {
  await eight('hammer-worker.ts', (place) => [`${place + 1}`]);
  const readings = await sink.read(hammerAccounts());
  const left = readings.map(({ committed, limit }) => (limit ?? Number.NaN) - committed);
  const beyond = left.map((amount, place) => (-amount / (readings[place]?.limit ?? 1)) * 100);
  return [
    {
      what: 'spent beyond the cap, random amounts on two budgets',
      measured: Math.max(0, ...beyond),
      atMost: 0,
      unit: '%',
      note: `published: ${PUBLISHED_OVERSHOOT} %, tuned; here ${PROCESSES} processes`,
    },
    {
      what: 'left of a cap when every call is refused',
      measured: Math.max(...left),
      atMost: SMALLEST - 1,
      unit: 'tokens',
      note: `less than the smallest call, of ${readings.map(({ limit }) => limit).join(' and ')}`,
    },
  ];
}

const client = new Redis(url);
const sink = new RedisUsageSink(client, { timeoutMs: 30_000 });
const gates = [...(await admittedGates(sink)), await rateGate(), ...(await overshootGates(sink))];
client.disconnect();
await server.stop();
if (!report(gates)) {
  console.error('A gate does not hold.');
  process.exitCode = 1;
}
