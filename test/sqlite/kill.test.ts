import type { SinkEntry } from '@hardcap/core';
import { SqliteUsageSink } from '@hardcap/sqlite';
import { describe, expect, test } from 'vitest';
import { start } from '../processes.ts';
import { accountOf } from './account.ts';
import { LIMIT, STEPS, type Told, TTL_MS } from './kill-steps.ts';
import { storeFile } from './store-file.ts';

// Proved on one Node; the older one need only do it, too.
const POINTS_PER_STEP = process.versions.node.startsWith('22.') ? 5 : 26;
const AT_ONCE = 4;

/** The last answer that a process got about each of its calls. */
function lastTold(messages: readonly Told[]): Map<string, Told> {
  return new Map(messages.map((message) => [message.id, message]));
}

async function entriesOf(sink: SqliteUsageSink): Promise<Map<string, SinkEntry>> {
  const entries = new Map<string, SinkEntry>();
  for await (const entry of sink.entries()) {
    const call = 'reservation' in entry ? entry.reservation : entry.id;
    expect(entries.has(call), `${call} is in the ledger twice`).toBe(false);
    entries.set(call, entry);
  }
  return entries;
}

describe('case C-13, C-82: a process is killed with -9', () => {
  test.each(STEPS)('%s', { timeout: 240_000 }, async (step) => {
    const seed = (Date.now() % 1e6) * 1_000;
    console.log(`kill ${step}: seeds from ${seed}`);
    const file = storeFile();
    const seeds = Array.from({ length: POINTS_PER_STEP }, (_, point) => seed + point);
    const told: Told[] = [];
    const lane = async () => {
      for (let next = seeds.pop(); next !== undefined; next = seeds.pop()) {
        const worker = start<Told>(
          new URL('kill-worker.ts', import.meta.url),
          file,
          String(next),
          step,
        );
        const { signal, messages, stderr } = await worker.ended;
        expect(signal, `seed ${next} ended by itself: ${stderr}`).toBe('SIGKILL');
        told.push(...messages);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, lane));

    const sink = new SqliteUsageSink(file, { now: () => Date.now() + TTL_MS });
    expect((await sink.verify()).differences).toEqual([]);
    const entries = await entriesOf(sink);
    // Whatever was answered is kept, and charged as it was answered: at the cost, or at the hold.
    for (const [id, { what, amount }] of lastTold(told)) {
      const entry = entries.get(id);
      const kinds = what === 'settled' ? ['settlement'] : ['settlement', 'expiry'];
      expect(kinds, id).toContain(entry?.kind);
      const charged = entry?.charges.map((charge) => charge.amount) ?? [];
      expect(new Set(charged).size, id).toBe(1);
      if (what === 'settled') expect(charged[0], id).toBe(amount);
      // The answer to an extension, or to the settlement, may have been on its way.
      else expect(charged[0], id).toBeLessThanOrEqual(amount + 50);
    }
    const readings = await sink.read(['org', 'user', 'run'].map((key) => accountOf(key, LIMIT)));
    const charged = [...entries.values()].map(({ charges }) => charges[0]?.amount ?? 0);
    expect(Math.min(...charged)).toBeGreaterThanOrEqual(0);
    for (const { committed, held } of readings) {
      expect([committed, held]).toEqual([charged.reduce((sum, amount) => sum + amount, 0), 0]);
      expect(committed).toBeLessThanOrEqual(LIMIT);
    }
    expect(await sink.verify()).toMatchObject({ reservations: 0, differences: [] });
    await sink.close();
  });
});
