import type { Redis } from 'ioredis';
import { inParallel, PROCESSES } from './redis-load.ts';
import { quietOf } from './rounds.ts';

/** What a script has to ask of the server at least, one thing more with each step. */
type Steps = readonly (readonly [what: string, lua: string])[];

const NAMES = ['auser-daily|user=u1', 'aorg-monthly|org=acme', 'arun|run=r9'];
const ACCOUNTS = NAMES.map((name) => `'${name}'`).join(', ');
// No two values are the same, since Lua keeps equal texts once.
const BOTH = NAMES.map((name, place) => `'${name}', ARGV[2] .. '${place}'`).join(', ');
const TIME = `redis.call('TIME')`;

const RESERVE: Steps = [
  ['nothing', ''],
  ['the time', TIME],
  ['reading 6 fields', `redis.call('HMGET', KEYS[1], 'm', ARGV[1], 'q', ${ACCOUNTS})`],
  [
    'writing 6 fields, 1 of them new',
    `redis.call('HSET', KEYS[1], 'm', ARGV[3], ARGV[1], ARGV[2], 'q', ARGV[2], ${BOTH})`,
  ],
];
const SETTLE: Steps = [
  ['nothing', ''],
  ['the time', TIME],
  ['reading 5 fields', `redis.call('HMGET', KEYS[1], 'm', 'r', ${ACCOUNTS})`],
  ['writing 5 fields', `redis.call('HSET', KEYS[1], 'm', ARGV[3], 'r', ARGV[3], ${BOTH})`],
  [
    'an entry of the ledger',
    `redis.call('XADD', KEYS[3], '*', 'settlement', ARGV[3], 'charges', ARGV[2])`,
  ],
];
const DENIAL: Steps = [
  ['nothing', ''],
  ['the time', TIME],
  ['reading 6 fields', `redis.call('HMGET', KEYS[1], 'm', ARGV[1], 'q', ${ACCOUNTS})`],
  ['writing 2 fields', `redis.call('HSET', KEYS[1], 'm', ARGV[3], 'auser-daily|user=u1', ARGV[2])`],
];

const ROUNDS = 30;
const CALLS = 500;

/**
 * Where the time of the server goes: microseconds of a script that only asks for what each operation
 * cannot do without, with as many arguments and as long values, and decides nothing.
 */
export async function reportFloor(
  client: Redis,
  whole: ReadonlyMap<string, number>,
): Promise<void> {
  const rows: Record<string, string>[] = [];
  for (const [name, steps] of Object.entries({
    reserve: RESERVE,
    settle: SETTLE,
    denial: DENIAL,
  })) {
    const times = await timesOf(client, steps);
    steps.forEach(([what], place) => {
      const [time = 0, before = 0] = [times[place], times[place - 1]];
      rows.push({ of: name, what, us: (time - before).toFixed(2), 'us in all': time.toFixed(2) });
    });
    const [floor, all] = [times.at(-1) ?? 0, whole.get(name) ?? 0];
    rows.push({
      of: name,
      what: 'deciding, in Lua',
      us: (all - floor).toFixed(2),
      'us in all': all.toFixed(2),
    });
  }
  console.log('Where the time of the server goes, in a script of its own:');
  console.table(rows);
}

async function timesOf(client: Redis, steps: Steps): Promise<number[]> {
  const scripts: string[] = [];
  for (const place of steps.keys()) {
    const lines = steps.slice(0, place + 1).map(([, lua]) => lua);
    scripts.push(String(await client.script('LOAD', `${lines.join('\n')}\nreturn 1`)));
  }
  const samples: number[][] = scripts.map(() => []);
  let made = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [place, sha] of scripts.entries()) {
      await client.config('RESETSTAT');
      await inParallel(CALLS, PROCESSES, () => {
        made += 1;
        return client.evalsha(sha, ...argumentsOf(made));
      });
      samples[place]?.push((await microsecondsOf(client)) / CALLS);
      await client.del('{floor}:books', '{floor}:ledger');
    }
  }
  return samples.map(quietOf);
}

/** As many as an operation over three accounts has; an account takes some 150 bytes. */
function argumentsOf(made: number): [number, ...string[]] {
  const keys = ['{floor}:books', '{floor}:due', '{floor}:ledger'];
  const number = made.toString(36);
  const own = [`rAb3dE6gh${number}`, 'v'.repeat(140) + number, 'w'.repeat(75) + number];
  return [keys.length, ...keys, ...own, ...Array.from({ length: 12 }, () => 'some argument')];
}

/** Of all scripts since the statistics were reset. */
export async function microsecondsOf(client: Redis): Promise<number> {
  const stats = await client.info('commandstats');
  return Number(/cmdstat_evalsha:calls=\d+,usec=(\d+)/.exec(stats)?.[1]);
}
