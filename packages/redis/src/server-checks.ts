import { ConfigError } from '@hardcap/core';
import { messageOf } from './redis-failure.ts';
import type { ScriptRunner } from './script-runner.ts';

/** What a server says of itself. */
interface ServerInfo {
  /** Such as 7.2; that of the Redis whose protocol it speaks. */
  readonly version: number;
  /** Whether it takes scripts that say what they may do: from Redis 7 on. */
  readonly takesFlags: boolean;
  readonly policy: string;
  readonly isReplica: boolean;
  /** On its clock, in ms since the epoch; 0 where it does not say. */
  readonly at: number;
}

/** Reads what `INFO` says. */
function readInfo(text: string): ServerInfo {
  const field = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(text)?.[1] ?? '';
  const [major = '0', minor = '0'] = field('redis_version').split('.');
  const version = Number(major) + Number(minor) / 100;
  return {
    version,
    takesFlags: version >= 7,
    policy: field('maxmemory_policy'),
    isReplica: field('role') === 'slave',
    at: Number(field('server_time_usec')) / 1_000,
  };
}

/** So far apart no two clocks are by drifting: one is in local time, say, or was never set. */
const FAR_MS = 2 * 3_600_000;

/** For so long what a server said of itself is taken to be so still, where many stores are on it. */
const TOLD_MS = 60_000;

/** Asks a server what it is, for all stores of a sink together. */
export class ServerCheck {
  #told: Promise<ServerInfo> | null = null;
  #toldAt = 0;

  /** @throws ConfigError for a server that cannot keep budgets */
  of(runner: ScriptRunner): Promise<ServerInfo> {
    const isFresh = Date.now() - this.#toldAt < TOLD_MS;
    if (this.#told !== null && isFresh) return this.#told;
    this.#toldAt = Date.now();
    const told = this.#ask(runner);
    this.#told = told;
    told.catch(() => {
      if (this.#told === told) this.#told = null;
    });
    return told;
  }

  async #ask(runner: ScriptRunner): Promise<ServerInfo> {
    const info = await infoOf(runner);
    checkServer(info);
    return info;
  }
}

/** What is known of a server whose user may not ask: nothing. */
const UNTOLD: ServerInfo = {
  version: 0,
  takesFlags: false,
  policy: '',
  isReplica: false,
  at: 0,
};

async function infoOf(runner: ScriptRunner): Promise<ServerInfo> {
  try {
    return readInfo(String(await runner.command('INFO')));
  } catch (error) {
    // Everything else would fail the scripts as well.
    if (messageOf(error).includes('NOPERM')) return UNTOLD;
    throw error;
  }
}

/** @throws ConfigError for a server that cannot keep budgets, saying what to change. */
function checkServer({ version, policy, isReplica, at }: ServerInfo): void {
  if (version > 0 && version < 6.02) {
    throw new ConfigError(
      'redis: the server is older than Redis 6.2, which the scripts need. Upgrade it, or use Valkey.',
    );
  }
  if (isReplica) {
    throw new ConfigError(
      'redis: the client is connected to a replica, which takes no writes and may be behind. Connect ' +
        'to the master, through Sentinel or the cluster client where it moves.',
    );
  }
  if (policy !== '' && policy !== 'noeviction') {
    throw new ConfigError(
      `redis: the server evicts keys when it is full (maxmemory-policy ${policy}), and an evicted ` +
        'budget reads as unused. Set `maxmemory-policy noeviction`, use a server of its own for ' +
        'budgets, or accept the risk with `checkServer: false`.',
    );
  }
  if (at > 0 && Math.abs(at - Date.now()) > FAR_MS) {
    throw new ConfigError(
      `redis: the server's clock is at ${new Date(at).toISOString()}, and the one here at ` +
        `${new Date().toISOString()}. That of the server decides in which window a call is. Set the one that ` +
        'is wrong, or accept it with `checkServer: false`.',
    );
  }
}
