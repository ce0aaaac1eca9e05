import { ConfigError } from './errors.ts';
import {
  type NodeFiles,
  type NodeRuntime,
  readIfThere,
  systemCode,
  writeDurably,
} from './node-runtime.ts';

/** Who holds a lock. */
interface Holder {
  readonly pid: number;
  readonly host: string;
  /** When the process began, as the kernel counts it: pids come again. Null where it does not tell. */
  readonly started: string | null;
}

/** How often other processes may get in between finding a lock stale and taking it. */
const MAX_ATTEMPTS = 8;

/**
 * Takes a lock file for this process, or takes it over from a process that is gone. Gives back what
 * lets it go.
 *
 * @throws ConfigError when a living process holds it, or one of another host, of which nothing can be
 * known.
 */
export function takeJournalLock(node: NodeRuntime, journal: string): () => void {
  const { files, pid, host } = node;
  const lock = `${journal}.lock`;
  const nonce = Math.random().toString(36).slice(2);
  const mine = JSON.stringify({ pid, host, started: stateOf(files, pid).started, nonce });
  // Written apart and linked: nobody ever sees a lock that does not say whose it is.
  const draft = `${lock}.${pid}.${nonce}`;
  writeDurably(files, draft, 'wx', mine);
  try {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      if (isLinked(files, draft, lock)) return () => letGo(files, lock, mine);
      const held = readIfThere(files, lock);
      if (held === undefined) continue;
      const holder = holderOf(held);
      if (holder === undefined || isAlive(node, holder)) throw taken(journal, lock, holder, node);
      moveAside(files, lock, `${draft}.stale`, held);
    }
    throw taken(journal, lock, undefined, node);
  } finally {
    files.unlinkSync(draft);
  }
}

/** False when there is a lock already. */
function isLinked(files: NodeFiles, draft: string, lock: string): boolean {
  try {
    files.linkSync(draft, lock);
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw error;
  }
}

function holderOf(text: string): Holder | undefined {
  try {
    const { pid, host, started } = JSON.parse(text);
    const isHolder = Number.isSafeInteger(pid) && pid > 0 && typeof host === 'string';
    return isHolder ? { pid, host, started: started ?? null } : undefined;
  } catch {
    return undefined;
  }
}

function isAlive({ files, host, kill }: NodeRuntime, holder: Holder): boolean {
  if (holder.host !== host) return true;
  try {
    kill(holder.pid, 0);
  } catch (error) {
    // Any other refusal says that there is such a process.
    if (systemCode(error) === 'ESRCH') return false;
  }
  const { started, isDead } = stateOf(files, holder.pid);
  if (isDead) return false;
  return started === null || holder.started === null || started === holder.started;
}

/** What the kernel says of a process, where it has /proc. */
function stateOf(files: NodeFiles, pid: number): { started: string | null; isDead: boolean } {
  try {
    const stat = files.readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field, a name in brackets, may have any characters.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A zombie has ended, and waits for its parent to ask how.
    return { started: fields[19] ?? null, isDead: fields[0] === 'Z' || fields[0] === 'X' };
  } catch {
    return { started: null, isDead: false };
  }
}

/** Removes a stale lock; what another process has put in its place meanwhile is put back. */
function moveAside(files: NodeFiles, lock: string, aside: string, stale: string): void {
  try {
    files.renameSync(lock, aside);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return;
    throw error;
  }
  if (readIfThere(files, aside) !== stale) isLinked(files, aside, lock);
  files.unlinkSync(aside);
}

function letGo(files: NodeFiles, lock: string, mine: string): void {
  try {
    if (readIfThere(files, lock) === mine) files.unlinkSync(lock);
  } catch {
    // The next process finds it stale.
  }
}

function taken(
  journal: string,
  lock: string,
  holder: Holder | undefined,
  { host, pid }: NodeRuntime,
): ConfigError {
  const where = holder === undefined || holder.host === host ? '' : ` on host "${holder.host}"`;
  const who =
    holder === undefined
      ? 'somebody'
      : holder.pid === pid && where === ''
        ? 'another guard of this process'
        : `process ${holder.pid}${where}`;
  return new ConfigError(
    `journal: "${journal}" is in use by ${who}. Give every guard a journal of its own, ` +
      `at a path that its next start uses again; if its holder is gone for good, delete "${lock}".`,
  );
}
