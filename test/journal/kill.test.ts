import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { createSpendGuard, type GuardEvent, type SinkEntry } from '@hardcap/core';
import { SqliteUsageSink } from '@hardcap/sqlite';
import { describe, expect, test } from 'vitest';
import { start } from '../processes.ts';
import { randomOf } from '../random.ts';
import { storeFile } from '../sqlite/store-file.ts';
import { ACCOUNT, LIMIT, STEPS, type Step, type Told, TTL_MS } from './kill-steps.ts';

// Proved on one Node; the older one need only do it, too.
const POINTS_PER_STEP = process.versions.node.startsWith('22.') ? 5 : 20;
const LANES = [0, 1];

/** The steps before which the last settlement has reached the journal. */
const KEPT: readonly Step[] = ['before the sink is told', 'during settle', 'before the mark'];

/** All that was done to one store at one step, by processes that were all killed. */
interface Carnage {
  readonly store: string;
  readonly journals: readonly string[];
  /** How far the clock of the store has come before the time of the day, in ms. */
  readonly offsetMs: number;
  readonly told: ReadonlyMap<string, Told>;
  /** What the journals had of settlements after a death: ids. */
  readonly kept: ReadonlySet<string>;
}

function keptIn(journal: string): string[] {
  if (!existsSync(journal)) return [];
  const lines = readFileSync(journal, 'utf8').split('\n').slice(1, -1);
  const records = lines.map((line) => JSON.parse(line));
  return records.flatMap(({ send }) => (send === undefined ? [] : [send.id]));
}

async function kill(step: Step, seed: number): Promise<Carnage> {
  const random = randomOf(seed);
  const store = storeFile();
  const journals = LANES.map((lane) => `${store}.${lane}.journal`);
  const told = new Map<string, Told>();
  const kept = new Set<string>();
  let offsetMs = 0;
  let points = 0;
  // A lane is one process after another, each of which finds what the last one left.
  const lane = async (journal: string) => {
    while (points < POINTS_PER_STEP) {
      points += 1;
      // Sometimes the holds of the dead expire first.
      if (random(4) === 0) offsetMs += TTL_MS;
      // What dies during replay needs something to be replayed.
      const isFirst = !existsSync(journal);
      const doom =
        step === 'during replay' && (isFirst || points % 2 === 0)
          ? 'before the sink is told'
          : step;
      const args = [store, journal, String(offsetMs), String(seed + points), doom];
      const { child, ended } = start<Told>(new URL('kill-worker.ts', import.meta.url), ...args);
      if (doom === 'at any moment') {
        child.once('message', () => pause(random(60)).then(() => child.kill('SIGKILL')));
      }
      const { signal, messages } = await ended;
      expect(signal, `seed ${seed}`).toBe('SIGKILL');
      for (const message of messages) told.set(message.id, message);
      const open = keptIn(journal);
      for (const id of open) kept.add(id);
      if (KEPT.includes(doom)) expect(open, `seed ${seed}`).toContain(messages.at(-1)?.id);
    }
  };
  await Promise.all(journals.map(lane));
  return { store, journals, offsetMs, told, kept };
}

/** One more start for each journal, after which nothing is open; and what became of it. */
async function recover({ store, journals, offsetMs }: Carnage) {
  const sink = new SqliteUsageSink(store, { now: () => Date.now() + offsetMs + TTL_MS });
  const events: GuardEvent[] = [];
  const guards = journals.map((journal) =>
    createSpendGuard({
      budgets: [{ name: ACCOUNT, per: [], limit: { tokens: LIMIT }, window: 'total' }],
      sink,
      journal,
      onEvent: (event) => {
        events.push(event);
      },
    }),
  );
  for (const guard of guards) expect(await guard.flush()).toEqual({ unsent: 0 });
  const [guard] = guards;
  const entries: SinkEntry[] = [];
  for await (const entry of sink.entries()) entries.push(entry);
  const [status] = (await guard?.status()) ?? [];
  const report = await guard?.verify();
  for (const each of guards) await each.close();
  return { events, entries, status, report };
}

/** What each call was charged, in all; none may have been settled twice. */
function chargesOf(entries: readonly SinkEntry[]): Map<string, number> {
  const charged = new Map<string, number>();
  const kinds = new Set<string>();
  for (const entry of entries) {
    if (entry.kind === 'adjustment') continue;
    const id = entry.reservation;
    const kind = `${id} ${entry.kind === 'expiry' ? 'expired' : 'settled'}`;
    expect(kinds.has(kind), `${kind} twice`).toBe(false);
    kinds.add(kind);
    const amount = entry.charges.reduce((sum, charge) => sum + charge.amount, 0);
    charged.set(id, (charged.get(id) ?? 0) + amount);
  }
  return charged;
}

describe('case C-15, C-82: a process with a journal is killed with -9', () => {
  test.each(STEPS)('%s', { timeout: 90_000 }, async (step) => {
    const seed = (Date.now() % 1e6) * 1_000;
    console.log(`kill ${step}: seed ${seed}`);
    const carnage = await kill(step, seed);
    const { told, kept } = carnage;
    const { events, entries, status, report } = await recover(carnage);
    const charged = chargesOf(entries);

    for (const [id, { held, cost }] of told) {
      // A known usage that reached the journal is never replaced by the hold.
      if (kept.has(id)) expect(charged.get(id), `${id} of seed ${seed}`).toBe(cost);
      else expect([held, cost], `${id} of seed ${seed}`).toContain(charged.get(id));
    }
    for (const id of kept) expect(told.has(id), id).toBe(true);
    expect(Math.min(...charged.values())).toBeGreaterThanOrEqual(0);
    const total = [...charged.values()].reduce((sum, amount) => sum + amount, 0);
    expect(status).toMatchObject({ committed: total, held: 0 });
    expect(total).toBeLessThanOrEqual(LIMIT);
    expect(report).toMatchObject({ reservations: 0, differences: [] });
    expect(events.filter(({ type }) => type === 'settlements-lost')).toEqual([]);
  });
});
