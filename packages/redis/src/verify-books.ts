import { type Difference, SinkUnavailableError, type VerifyReport } from '@hardcap/core';
import { keyIn } from './account-text.ts';
import { CommittedProof, type WindowReply } from './committed-proof.ts';
import { WindowBirths } from './ledger-sums.ts';
import { HELD } from './scripts.ts';
import type { StoreSession } from './store-session.ts';

type HeldReply = readonly [key: string, name: string, counter: number, expected: number];

export interface VerifyOptions {
  /** Whether what is wrong is restored. */
  readonly repair: boolean;
  /** Whether the store was lost, so that nothing but the ledger says which accounts there were. */
  readonly isLost: boolean;
  /** Ids begin with the place of a part: only the first part of a call is counted. */
  readonly isPart: boolean;
}

/** How often entries may come in between until all was compared, or be dropped meanwhile. */
const MOST_ATTEMPTS = 20;

/**
 * Recomputes counters from the ledger and the open reservations; with `repair`, restores them. The
 * ledger only grows, so it is added up in pieces between which traffic goes on; counters are compared
 * a few at a time, each at an instant at which the sums are complete.
 */
export async function verifyBooks(
  session: StoreSession,
  options: VerifyOptions,
): Promise<VerifyReport> {
  const { repair, isPart } = options;
  const { proof, found } = await compareCommitted(session, options);
  const compareHeld = async () => {
    const reply = await session.run(HELD, [repair ? 'repair' : '', isPart ? 'parts' : '']);
    return reply as [
      string,
      number,
      number,
      number,
      number,
      readonly HeldReply[],
      readonly WindowReply[],
    ];
  };
  const [, at, accounts, entries, reservations, wrong, remade] = await compareHeld();
  const gone = wrong.filter(([, window]) => window === '').map(([key]) => keyIn(key));
  for (const window of remade) await proof.compare(window);
  for (const account of gone) await proof.judgeHeld(account);
  if (repair && gone.length > 0) await compareHeld();
  const held = wrong.flatMap(([key, name, counter, expected]): Difference[] => {
    const account = keyIn(key);
    const window = name === '' ? proof.windowOf(account) : name;
    return counter === expected ? [] : [{ account, window, field: 'held', counter, expected }];
  });
  return {
    at,
    accounts,
    entries: isPart ? entries - proof.laterParts : entries,
    reservations,
    differences: [...found.values(), ...held],
  };
}

interface Compared {
  readonly proof: CommittedProof;
  readonly found: ReadonlyMap<string, Difference>;
}

async function compareCommitted(session: StoreSession, options: VerifyOptions): Promise<Compared> {
  const births = new WindowBirths();
  // What one attempt has restored, the next finds right.
  const restored = new Map<string, Difference>();
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
    const found = options.repair ? restored : new Map<string, Difference>();
    const proof = new CommittedProof(session, options, births, found);
    if (await proof.isDone()) return { proof, found };
  }
  throw new SinkUnavailableError(
    'The ledger was pruned, or accounts were made, again and again while it was verified.',
  );
}
