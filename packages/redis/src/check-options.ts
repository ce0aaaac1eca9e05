import { ConfigError } from '@hardcap/core';
import { type RedisUsageSinkOptions, sessionOptions } from './redis-usage-sink-options.ts';

/** What is right for an option, and what to write instead of all else. */
type Check = readonly [isRight: (value: unknown) => boolean, advice: string];

/** A timer that is longer fires at once. */
const LONGEST_TIMER_MS = 2_147_483_647;
/** Beyond the year 30,000, so that times stay whole numbers. */
const LONGEST_LIFE_MS = 1e15;

function whole(least: number, most: number, unit = ''): Check {
  const isRight = (value: unknown) =>
    Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most;
  return [isRight, `write a whole number ${unit}from ${least} to ${most}`];
}

function oneOf(...values: readonly unknown[]): Check {
  const shown = values.map((value) => JSON.stringify(value)).join(', ');
  return [(value) => values.includes(value), `write one of ${shown}`];
}

const milliseconds = whole(1, LONGEST_LIFE_MS, 'of milliseconds ');
const NAMESPACE = /^[^{}|\s]{1,100}$/;
const DURABILITY = "write 'async', or { replicas: 1, timeoutMs: 50 }";

const OPTIONS: Readonly<Record<keyof RedisUsageSinkOptions, Check>> = {
  namespace: [
    (value) => typeof value === 'string' && NAMESPACE.test(value),
    'write 1 to 100 characters without spaces, braces and "|", which have a meaning in keys',
  ],
  // Checked where it is read.
  partitionBy: [() => true, ''],
  leases: [() => true, ''],
  timeoutMs: whole(1, LONGEST_TIMER_MS, 'of milliseconds '),
  durability: [isDurability, DURABILITY],
  rememberedMs: milliseconds,
  awaitedMs: milliseconds,
  idleMs: milliseconds,
  ledgerCapacity: whole(1, 1_000_000_000),
  onStoreReset: oneOf('deny', 'accept', 'rebuild'),
  checkServer: oneOf(true, false),
  now: [(value) => typeof value === 'function', 'write a function, and in tests alone'],
};

/** Its numbers are checked where they are read. */
function isDurability(value: unknown): boolean {
  if (value === 'async') return true;
  if (typeof value !== 'object' || value === null) return false;
  return Object.keys(value).every((key) => key === 'replicas' || key === 'timeoutMs');
}

/** @throws ConfigError that names every option that is wrong, and what to write instead. */
export function checkOptions(options: RedisUsageSinkOptions): void {
  if (typeof options !== 'object' || options === null) {
    throw new ConfigError('redis: the options of the sink are an object, { timeoutMs: 500 }.');
  }
  const problems = Object.entries(options).flatMap(([name, value]) => {
    if (!Object.hasOwn(OPTIONS, name)) return [`${name}: ${unknown(name)}`];
    const [isRight, advice] = OPTIONS[name as keyof RedisUsageSinkOptions];
    return value === undefined || isRight(value) ? [] : [`${name}: ${advice}`];
  });
  if (problems.length === 0) problems.push(...livesOf(options));
  if (problems.length === 0) return;
  throw new ConfigError(`redis: options of the sink are not valid. ${problems.join('; ')}.`);
}

/** What is forgotten can be awaited no longer. */
function livesOf(options: RedisUsageSinkOptions): string[] {
  const { endedMs, expiredMs, idleMs } = sessionOptions(options);
  if (idleMs >= Math.max(endedMs, expiredMs)) return [];
  return ['idleMs: write at least `rememberedMs` and `awaitedMs`, or lower these'];
}

function unknown(name: string): string {
  const names = Object.keys(OPTIONS);
  const like = names.find((known) => known.toLowerCase().startsWith(name.toLowerCase()));
  return `there is no such option, ${like === undefined ? `only ${names.join(', ')}` : `write ${like}`}`;
}
