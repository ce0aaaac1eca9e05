/** In the header of every file of hardcap: "hcap". */
export const APPLICATION_ID = 0x68_63_61_70;

/**
 * What brings a store from one version of the schema to the next; the first makes it. Released ones
 * are never edited: a change is one more of them.
 */
export const MIGRATIONS: readonly string[] = [
  `
  -- One row. A store that was deleted or replaced has another id.
  CREATE TABLE store (
    id TEXT NOT NULL,
    clock INTEGER,                   -- latest time seen, in ms since the epoch
    prunes INTEGER NOT NULL          -- how often entries were pruned
  ) STRICT;

  -- Terms of budgets, each kept once.
  CREATE TABLE rules (
    id INTEGER PRIMARY KEY,
    terms TEXT NOT NULL UNIQUE       -- JSON
  ) STRICT;

  CREATE TABLE accounts (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    rule INTEGER NOT NULL,           -- that came with the latest call
    blocked INTEGER NOT NULL,
    floating INTEGER NOT NULL,       -- open holds that count in whatever window is current
    new_limit TEXT,                  -- JSON: replaces the limit of the rule
    raised TEXT,                     -- JSON: is added to the limit
    denials INTEGER NOT NULL         -- the day of the latest, and how many it had
  ) STRICT;

  -- Counters of one window of an account.
  CREATE TABLE windows (
    id INTEGER PRIMARY KEY,
    account INTEGER NOT NULL,
    name TEXT NOT NULL,
    rule INTEGER NOT NULL,           -- under which it began
    starts_at INTEGER,
    ends_at INTEGER,
    is_whole INTEGER NOT NULL,
    committed INTEGER NOT NULL,
    held INTEGER NOT NULL,           -- open holds that belong to this window
    top_up INTEGER NOT NULL,
    resets INTEGER NOT NULL,
    used INTEGER NOT NULL,           -- a call was admitted or refused in it, or it was adjusted
    fired TEXT,                      -- JSON: thresholds already noticed, in parts per million
    folded INTEGER NOT NULL,         -- what entries charged that were pruned
    entries INTEGER NOT NULL,        -- charges of the ledger that are of this window
    forget_at INTEGER,
    UNIQUE (account, name)
  ) STRICT;
  CREATE INDEX windows_to_forget ON windows (forget_at) WHERE entries = 0;

  -- Settled spend of rolling windows.
  CREATE TABLE slots (
    window INTEGER NOT NULL,
    slot INTEGER NOT NULL,
    committed INTEGER NOT NULL,
    PRIMARY KEY (window, slot)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE reservations (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    resolution TEXT,                 -- null while it is open
    due_at INTEGER NOT NULL,         -- when it expires; once it has ended, when it is forgotten
    holds TEXT,                      -- JSON, see encodeHolds; null when none will be needed any more
    details TEXT                     -- JSON: for the entry of an expiry
  ) STRICT;
  CREATE INDEX reservations_to_expire ON reservations (due_at) WHERE resolution IS NULL;
  CREATE INDEX reservations_to_forget ON reservations (due_at) WHERE resolution IS NOT NULL;

  -- The ledger. Times never run backwards, so sequence and time are one order.
  CREATE TABLE entries (
    sequence INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,           -- id of the reservation or adjustment
    outcome TEXT,
    overshoot TEXT,                  -- JSON; null is none
    account INTEGER,                 -- of an adjustment
    rule INTEGER,
    change TEXT,                     -- JSON
    details TEXT NOT NULL            -- JSON
  ) STRICT;
  CREATE INDEX entries_by_time ON entries (at);
  CREATE INDEX entries_by_account ON entries (account, sequence) WHERE account IS NOT NULL;

  CREATE TABLE charges (
    entry INTEGER NOT NULL,
    place INTEGER NOT NULL,
    account INTEGER NOT NULL,
    window INTEGER NOT NULL,
    rule INTEGER NOT NULL,           -- says budget and unit
    slot INTEGER,
    amount INTEGER NOT NULL,
    held INTEGER NOT NULL,
    PRIMARY KEY (entry, place)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX charges_by_account ON charges (account, entry);

  -- Ids of adjustments, so that a repeated one is recognised.
  CREATE TABLE adjustments (
    id TEXT PRIMARY KEY,
    forget_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX adjustments_to_forget ON adjustments (forget_at);

  -- What somebody came upon who could not be told: the next call of any process tells it.
  CREATE TABLE notices (
    number INTEGER PRIMARY KEY,
    notice TEXT NOT NULL             -- JSON
  ) STRICT;
  `,
];
