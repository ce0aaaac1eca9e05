/** What is known of an operation that failed. */
export interface Fate {
  /** Another attempt may go through, within a moment. */
  readonly isPassing: boolean;
  /** What happened, whether anything was done, and what to do. */
  readonly text: string;
}

/** Errors of a server that did nothing, and what to do about them. */
const REFUSALS: Readonly<Record<string, { readonly advice: string; readonly isPassing?: true }>> = {
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
  NOPERM: { advice: 'Give the user the permissions of docs/redis.md.' },
};

/** What the error of a client means for the operation. */
export function fateOf(error: unknown): Fate {
  const message = messageOf(error);
  const deleted = /MISSING-RECORD "((?:[^"\\]|\\.)*)"/.exec(message);
  if (deleted !== null) {
    const text =
      `The record of the account ${deleted[1]} was deleted, or of one of its windows, and what was ` +
      'spent is not known. Nothing was done. Call `rebuild()` to have it made from the ledger.';
    return { isPassing: false, text };
  }
  const [code = ''] = message.split(' ', 1);
  const refusal = Object.hasOwn(REFUSALS, code) ? REFUSALS[code] : undefined;
  if (refusal !== undefined) {
    const { advice, isPassing = false } = refusal;
    return { isPassing, text: `${message}. Nothing was done. ${advice}` };
  }
  // What else a server says is about the script; all others are of the connection.
  if (/^[A-Z]+ /.test(message)) return { isPassing: false, text: message };
  return {
    isPassing: true,
    text: `${message}. Whether it was carried out is unknown; repeating it with the same id is safe.`,
  };
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const WITH_PASSWORD: readonly unknown[] = ['auth', 'hello'];

/** An error as it may be shown: ioredis leaves the arguments of the command in it, passwords too. */
export function withoutPassword(error: unknown): unknown {
  if (!(error instanceof Error) || !('command' in error)) return error;
  const { name } = (error.command ?? {}) as { readonly name?: string };
  if (!WITH_PASSWORD.includes(name?.toLowerCase())) return error;
  const shown = new Error(error.message);
  return Object.assign(shown, { name: error.name, stack: error.stack, command: { name } });
}
