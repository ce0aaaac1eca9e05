import { ConfigError, SinkUnavailableError } from '@hardcap/core';

/** What is known of an operation that failed. */
export interface Fate {
  /** Another attempt may go through, within a moment. */
  readonly isPassing: boolean;
  /** The client or its user is not set up for what is asked of it. */
  readonly isSetUpWrong: boolean;
  /** What happened, whether anything was done, and what to do. */
  readonly text: string;
}

interface Refusal {
  readonly advice: string;
  readonly isPassing?: true;
  readonly isSetUpWrong?: true;
}

const PERMISSIONS = 'Give the user the permissions of docs/redis.md.';
const OF_A_CLUSTER = {
  advice:
    'The server is a node of a cluster: use a client for clusters, `new Cluster([…])` of ioredis.',
  isSetUpWrong: true,
} as const;

/** Errors of a server that did nothing, and what to do about them. */
const REFUSALS: Readonly<Record<string, Refusal>> = {
  READONLY: { advice: 'Connect to the master; this is a replica.' },
  LOADING: { advice: 'The server is loading its data.', isPassing: true },
  MASTERDOWN: { advice: 'The replica has lost its master.', isPassing: true },
  CLUSTERDOWN: { advice: 'The cluster has no master for the slot.', isPassing: true },
  TRYAGAIN: { advice: 'The slot is on its way to another node.', isPassing: true },
  NOREPLICAS: { advice: 'Fewer replicas are connected than `min-replicas-to-write` asks for.' },
  BUSY: { advice: 'Another script has been running for seconds.' },
  OOM: { advice: 'The server is full: raise `maxmemory`. Keep `maxmemory-policy noeviction`.' },
  MISCONF: { advice: 'The server cannot write its snapshot: see its log.' },
  NOAUTH: { advice: 'Give the client its user name and password.' },
  WRONGPASS: { advice: 'Correct the user name and password of the client.' },
  NOPERM: { advice: PERMISSIONS, isSetUpWrong: true },
  MOVED: OF_A_CLUSTER,
  ASK: OF_A_CLUSTER,
};
/** What a server says of a command in a script that the user may not run. */
const FORBIDDEN = /ACL failure in script|user executing the script can't/;
/** What clients say that were closed, or never connected. */
const CLOSED = /^(Connection|The client) is closed/;

/** What servers before Redis 7 say of a command that failed in a script, before they say why. */
const IN_SCRIPT = /^ERR Error running script .*?: @user_script: \d+: -?/;

/** The error of a server as those write it that lead: one in a script begins with a code, too. */
function asToday(message: string): string {
  const why = message.replace(IN_SCRIPT, '');
  return why.startsWith('The user executing the script') ? `NOPERM ${why}` : why;
}

/** What the error of a client means for the operation. */
export function fateOf(error: unknown): Fate {
  const message = asToday(messageOf(error));
  const deleted = /MISSING-RECORD "((?:[^"\\]|\\.)*)"/.exec(message);
  if (deleted !== null) {
    const text =
      `The record of the account ${deleted[1]} was deleted, or of one of its windows, and what was ` +
      'spent is not known. Nothing was done. Call `rebuild()` to have it made from the ledger.';
    return { isPassing: false, isSetUpWrong: false, text };
  }
  const [code = ''] = message.split(' ', 1);
  const refusal = Object.hasOwn(REFUSALS, code) ? REFUSALS[code] : undefined;
  if (refusal !== undefined) {
    const { advice, isPassing = false, isSetUpWrong = false } = refusal;
    return { isPassing, isSetUpWrong, text: `${message}. Nothing was done. ${advice}` };
  }
  const isSetUpWrong = FORBIDDEN.test(message);
  if (isSetUpWrong) return { isPassing: false, isSetUpWrong, text: `${message}. ${PERMISSIONS}` };
  // What else a server says is about the script; all others are of the connection.
  if (/^[A-Z]+ /.test(message)) return { isPassing: false, isSetUpWrong, text: message };
  const advice = CLOSED.test(message) ? ' Connect the client, or give the sink another.' : '';
  const text = `${message}. Whether it was carried out is unknown; repeating it with the same id is safe.`;
  return { isPassing: true, isSetUpWrong, text: text + advice };
}

/** What failed before the store was met: a wrong set-up is told as one, since nobody can wait it out. */
export function failureAtStart(error: unknown): unknown {
  if (!SinkUnavailableError.isInstance(error) || !fateOf(error.cause).isSetUpWrong) return error;
  return new ConfigError(error.message, { cause: error.cause });
}

/** @param commands that scripts need, and the user may not run */
export function lacksPermissions(commands: string): ConfigError {
  return new ConfigError(`redis: the user of the client may not run ${commands}. ${PERMISSIONS}`);
}

/** Without a full stop. What `fetch` says of a failure is in its cause. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, cause } = error;
  const why = message === 'fetch failed' && cause instanceof Error ? cause.message : '';
  return `${message}${why && `: ${why}`}`.replace(/\.$/, '');
}

/** Whether a server does not know what the first line of a script says: those before Redis 7 do not. */
export function isOfFlags(error: unknown): boolean {
  return messageOf(error).endsWith("unexpected symbol near '#'");
}

const WITH_PASSWORD: readonly unknown[] = ['auth', 'hello'];

/** An error as it may be shown: ioredis leaves the arguments of the command in it, passwords too. */
export function withoutPassword(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  // `fetch` leaves what it could not read in it: some servers repeat the token that they were sent.
  if (error.cause instanceof Error && 'data' in error.cause) {
    return new Error(error.message, { cause: new Error(error.cause.message) });
  }
  if (!('command' in error)) return error;
  const { name } = (error.command ?? {}) as { readonly name?: string };
  if (!WITH_PASSWORD.includes(name?.toLowerCase())) return error;
  const shown = new Error(error.message);
  return Object.assign(shown, { name: error.name, stack: error.stack, command: { name } });
}
