import type { ObservedRun } from './observed-run.ts';

/** Runs that never end, as streams do that their reader left, are forgotten beyond so many. */
const MOST_RUNS = 10_000;

/** A run as its start was told: perhaps more than once, by frameworks that tell a handler twice. */
interface Entry {
  readonly run: Promise<ObservedRun>;
  tellings: number;
  tokens: number;
}

/** Calls that were started together: the lists of one `generate`, which is sent whole or not at all. */
interface Group {
  readonly entries: Map<string, Entry>;
  denial: { readonly error: unknown } | undefined;
}

/** The open runs of a callback handler. */
export class RunRegister {
  readonly #groups: WeakMap<object, Group> = new WeakMap();
  // Callers may give one id to several runs.
  readonly #runs: Map<string, Entry[]> = new Map();
  // One error may end several runs: that of a signal, say.
  readonly #ended: WeakMap<object, Set<string>> = new WeakMap();

  /**
   * Opens a run, once however often it is told.
   *
   * @param groupKey is the same object for all runs of one `generate`, and for no others.
   * @throws what `open` throws; the other runs of the group are released then.
   */
  async start(runId: string, groupKey: unknown, open: () => Promise<ObservedRun>): Promise<void> {
    const group = this.#groupOf(groupKey);
    const known = group.entries.get(runId);
    if (known !== undefined) {
      known.tellings += 1;
      await known.run;
      return;
    }
    const entry: Entry = { run: this.#opened(group, open), tellings: 1, tokens: 0 };
    group.entries.set(runId, entry);
    this.#add(runId, entry);
    try {
      await entry.run;
    } catch (error) {
      group.denial ??= { error };
      await this.#releaseAll(group);
      throw error;
    }
  }

  /** The run that a token belongs to; undefined for one that has been told already. */
  async ofToken(runId: string): Promise<ObservedRun | undefined> {
    const entry = this.#runs.get(runId)?.[0];
    if (entry === undefined) return undefined;
    entry.tokens += 1;
    return (entry.tokens - 1) % entry.tellings === 0 ? entry.run : undefined;
  }

  /** The run that ends with this; undefined where its end has been told already. */
  async take(runId: string, end: unknown): Promise<ObservedRun | undefined> {
    if (typeof end === 'object' && end !== null) {
      const ended = this.#ended.get(end) ?? new Set();
      if (ended.has(runId)) return undefined;
      this.#ended.set(end, ended.add(runId));
    }
    const entries = this.#runs.get(runId);
    const entry = entries?.shift();
    if (entries?.length === 0) this.#runs.delete(runId);
    return entry?.run;
  }

  #groupOf(key: unknown): Group {
    const made: Group = { entries: new Map(), denial: undefined };
    if (typeof key !== 'object' || key === null) return made;
    const group = this.#groups.get(key) ?? made;
    this.#groups.set(key, group);
    return group;
  }

  /** A run that opens after another of its group was refused is not sent either. */
  async #opened(group: Group, open: () => Promise<ObservedRun>): Promise<ObservedRun> {
    const run = await open();
    if (group.denial === undefined) return run;
    await run.release();
    throw group.denial.error;
  }

  async #releaseAll({ entries }: Group): Promise<void> {
    for (const [runId, entry] of entries) {
      this.#remove(runId, entry);
      await entry.run.then(
        (run) => run.release(),
        () => {},
      );
    }
  }

  #add(runId: string, entry: Entry): void {
    const entries = this.#runs.get(runId);
    if (entries === undefined) this.#runs.set(runId, [entry]);
    else entries.push(entry);
    if (this.#runs.size <= MOST_RUNS) return;
    const [oldest] = this.#runs.keys();
    if (oldest !== undefined) this.#runs.delete(oldest);
  }

  #remove(runId: string, entry: Entry): void {
    const left = (this.#runs.get(runId) ?? []).filter((other) => other !== entry);
    if (left.length === 0) this.#runs.delete(runId);
    else this.#runs.set(runId, left);
  }
}
