import { lookedBackMs, WindowCounters } from '@hardcap/core/sink';
import { asDouble, prepare, type Query, type SqliteDatabase } from './driver.ts';
import type { RuleTable } from './rule-table.ts';

interface WindowRow {
  readonly id: number;
  readonly account: number;
  readonly name: string;
  readonly rule: number;
  readonly starts_at: number | null;
  readonly ends_at: number | null;
  readonly is_whole: number;
  readonly committed: number;
  readonly held: number;
  readonly top_up: number;
  readonly resets: number;
  readonly used: number;
  readonly fired: string | null;
  readonly entries: number;
  readonly forget_at: number | null;
}

/** What a save writes, and compares to know whether it must. */
type Figures = [
  committed: number,
  held: number,
  topUp: number,
  resets: number,
  used: number,
  fired: string | null,
  entries: number,
  forgetAt: number | null,
];

/** Counters of a window, and what is stored of them. */
export interface StoredWindow {
  /** 0 while it is not stored. */
  id: number;
  readonly account: number;
  readonly counters: WindowCounters;
  /** Charges of the ledger that are of this window. */
  entries: number;
  forgetAt: number | null;
  saved: Figures;
  savedSlots: ReadonlyMap<number, number>;
}

const NOTHING: Figures = [0, 0, 0, 0, 0, null, 0, null];
const NO_SLOTS: ReadonlyMap<number, number> = new Map();
const COLUMNS = `id, account, name, rule, starts_at, ends_at, is_whole,
  ${asDouble('committed', 'committed')}, ${asDouble('held', 'held')}, top_up, resets, used,
  fired, entries, forget_at`;

export class WindowTable {
  readonly #rules: RuleTable;
  readonly #rememberedMs: number;
  readonly #byName: Query<[account: number, name: string], WindowRow>;
  readonly #byId: Query<[id: number], WindowRow>;
  readonly #insert: Query<
    [number, string, number, number | null, number | null, number, ...Figures]
  >;
  readonly #update: Query<[...Figures, id: number]>;
  readonly #slots: Query<[id: number], { readonly slot: number; readonly committed: number }>;
  readonly #putSlot: Query<[id: number, slot: number, committed: number]>;
  readonly #dropSlot: Query<[id: number, slot: number]>;

  constructor(database: SqliteDatabase, rules: RuleTable, rememberedMs: number) {
    this.#rules = rules;
    this.#rememberedMs = rememberedMs;
    this.#byName = prepare(
      database,
      `SELECT ${COLUMNS} FROM windows WHERE account = ? AND name = ?`,
    );
    this.#byId = prepare(database, `SELECT ${COLUMNS} FROM windows WHERE id = ?`);
    this.#insert = prepare(
      database,
      `INSERT INTO windows (account, name, rule, starts_at, ends_at, is_whole, committed, held,
         top_up, resets, used, fired, entries, forget_at, folded)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)`,
    );
    this.#update = prepare(
      database,
      `UPDATE windows SET committed = ?, held = ?, top_up = ?, resets = ?, used = ?,
         fired = ?, entries = ?, forget_at = ? WHERE id = ?`,
    );
    this.#slots = prepare(
      database,
      `SELECT slot, ${asDouble('committed', 'committed')} FROM slots WHERE window = ?`,
    );
    this.#putSlot = prepare(
      database,
      `INSERT INTO slots (window, slot, committed) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET committed = excluded.committed`,
    );
    this.#dropSlot = prepare(database, 'DELETE FROM slots WHERE window = ? AND slot = ?');
  }

  byName(account: number, name: string, at: number): StoredWindow | undefined {
    const row = this.#byName.get(account, name);
    return row === undefined ? undefined : this.#read(row, at);
  }

  byId(id: number, at: number): StoredWindow | undefined {
    const row = this.#byId.get(id);
    return row === undefined ? undefined : this.#read(row, at);
  }

  /** A window that is not stored before something is to be kept of it. */
  made(account: number, counters: WindowCounters): StoredWindow {
    const [saved, savedSlots] = [NOTHING, NO_SLOTS];
    return { id: 0, account, counters, entries: 0, forgetAt: null, saved, savedSlots };
  }

  /** Gives it an id. @param rule under which it begins. */
  insert(window: StoredWindow, rule: number, at: number): void {
    const { span, isWhole } = window.counters;
    const { id, startsAt, endsAt } = span;
    const figures = this.#figures(window, rule, at);
    const row = this.#insert.run(
      window.account,
      id,
      rule,
      startsAt,
      endsAt,
      isWhole ? 1 : 0,
      ...figures,
    );
    window.id = Number(row.lastInsertRowid);
    window.saved = figures;
    this.#saveSlots(window);
  }

  /** Writes what has changed. @param rule under which the account is now. */
  save(window: StoredWindow, rule: number, at: number): void {
    if (window.id === 0) return;
    const figures = this.#figures(window, rule, at);
    const isSame = window.saved.every((figure, place) => figure === figures[place]);
    if (isSame) return;
    this.#update.run(...figures, window.id);
    window.saved = figures;
    this.#saveSlots(window);
  }

  #read(row: WindowRow, at: number): StoredWindow {
    const { window } = this.#rules.get(row.rule);
    const isRolling = window.kind === 'rolling';
    const span = isRolling
      ? window.at(at)
      : { id: row.name, startsAt: row.starts_at, endsAt: row.ends_at };
    const counters = new WindowCounters(window, span, row.is_whole === 1);
    const savedSlots = isRolling ? this.#readSlots(row, counters) : NO_SLOTS;
    if (!isRolling) counters.committed = row.committed;
    counters.held = row.held;
    counters.topUp = row.top_up;
    counters.resets = row.resets;
    counters.isUsed = row.used === 1;
    if (row.fired !== null) for (const parts of JSON.parse(row.fired)) counters.fired.add(parts);
    const { id, account, entries, forget_at: forgetAt } = row;
    const saved: Figures = [
      row.committed,
      row.held,
      row.top_up,
      row.resets,
      row.used,
      row.fired,
      entries,
      forgetAt,
    ];
    return { id, account, counters, entries, forgetAt, saved, savedSlots };
  }

  /** Spend by slot; what has left the window meanwhile does not count any more. */
  #readSlots(row: WindowRow, counters: WindowCounters): ReadonlyMap<number, number> {
    const slots = new Map(this.#slots.all(row.id).map(({ slot, committed }) => [slot, committed]));
    counters.restore(slots, 0);
    const startsAt = counters.span.startsAt ?? Number.NEGATIVE_INFINITY;
    let left = 0;
    for (const [slot, amount] of slots) if (slot < startsAt) left += amount;
    counters.committed = row.committed - left;
    return slots;
  }

  #figures({ counters, entries, forgetAt }: StoredWindow, rule: number, at: number): Figures {
    const { committed, held, topUp, resets, isUsed, fired } = counters;
    const noticed = fired.size === 0 ? null : JSON.stringify([...fired]);
    const forgotten = this.#forgottenAt(counters, rule, forgetAt, at);
    const used = isUsed ? 1 : 0;
    return [committed, held, topUp, resets, used, noticed, entries, forgotten];
  }

  /** When nobody will miss the window: put off now and then, so that it is seldom written. */
  #forgottenAt(
    { window, span }: WindowCounters,
    rule: number,
    before: number | null,
    at: number,
  ): number | null {
    const terms = this.#rules.get(rule);
    if (window.kind === 'total' && terms.unit !== 'concurrent') return null;
    const ended =
      window.kind === 'rolling' ? at + window.lengthMs + window.resolutionMs : span.endsAt;
    const kept = lookedBackMs(terms, span) + this.#rememberedMs;
    const least = Math.max(ended ?? at, at) + kept;
    return before !== null && before >= least ? before : least + this.#rememberedMs;
  }

  #saveSlots(window: StoredWindow): void {
    const { id, counters, savedSlots } = window;
    if (counters.window.kind !== 'rolling') return;
    const { slots } = counters;
    for (const slot of savedSlots.keys()) if (!slots.has(slot)) this.#dropSlot.run(id, slot);
    for (const [slot, amount] of slots) {
      if (savedSlots.get(slot) !== amount) this.#putSlot.run(id, slot, amount);
    }
    window.savedSlots = new Map(slots);
  }
}
