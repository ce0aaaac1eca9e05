import { describe, expect, test } from 'vitest';
import type { Account } from '../src/index.ts';
import { MemoryAccounts } from '../src/memory-accounts.ts';
import { ChargeReport, settleHold } from '../src/memory-hold.ts';
import { MemoryLedger } from '../src/memory-ledger.ts';
import { Reservation, ReservationTable } from '../src/memory-reservations.ts';
import { verifyMemory } from '../src/verify-memory.ts';
import { NOON } from './support/clock.ts';
import { accountOf, claimsOf, SinkBench, TTL } from './support/sink.ts';

/** Books with 30 settled and 20 held on an account, whose counters can be tampered with. */
function booksWith(account: Account) {
  const accounts = new MemoryAccounts(10);
  const reservations = new ReservationTable(10);
  const ledger = new MemoryLedger(10);
  const known = accounts.open(account, NOON);
  const isRolling = account.rule.window.kind === 'rolling';
  const hold = (amount: number) => {
    const counters = isRolling ? null : known.current;
    known.beginHold(counters, amount);
    const times = { paysAt: NOON, reserved: amount, amount, expired: null };
    return { account: known, rule: account.rule, counters, ...times };
  };
  const request = { id: 'open', claims: claimsOf([[account, 20]]), ttlMs: TTL };
  reservations.add(new Reservation(request, [hold(20)], NOON));
  const charge = settleHold(hold(30), 30, NOON, new ChargeReport([]));
  const entry = { kind: 'settlement', outcome: 'known', overshoot: [], details: {} } as const;
  ledger.append({ ...entry, id: 'r1', reservation: 'r1', at: NOON, charges: [charge] });
  return { books: { accounts, reservations, ledger }, counters: known.current, known };
}

describe('verify', () => {
  test.each([
    ['a total', accountOf('a')],
    ['a day', accountOf('a', { window: { calendar: 'day' } })],
    ['a rolling day', accountOf('a', { window: { rolling: '24h' } })],
  ])('of %s finds what was tampered with, and rebuild restores it', (_, account) => {
    const { books, counters, known } = booksWith(account);
    expect(verifyMemory(books, NOON, false)).toEqual({
      at: NOON,
      accounts: 1,
      entries: 1,
      reservations: 1,
      differences: [],
    });
    const window = counters.span.id;
    counters.committed = 7;
    counters.held += 1;
    known.floating += 2;
    const { differences } = verifyMemory(books, NOON, false);
    expect(differences[0]).toEqual({
      account: 'a',
      window,
      field: 'committed',
      counter: 7,
      expected: 30,
    });
    expect(
      differences.slice(1).map(({ field, counter, expected }) => [field, counter - expected]),
    ).toEqual([
      ['held', 1],
      ['held', 2],
    ]);
    expect(verifyMemory(books, NOON, true).differences).toEqual(differences);
    expect(verifyMemory(books, NOON, false).differences).toEqual([]);
    expect(known.read(account.rule, NOON)).toMatchObject({ committed: 30, held: 20 });
  });

  test('of a rolling window goes slot by slot', () => {
    const { books, counters } = booksWith(accountOf('a', { window: { rolling: '24h' } }));
    counters.slots.clear();
    counters.committed = 0;
    verifyMemory(books, NOON, true);
    expect([...counters.slots]).toEqual([[NOON, 30]]);
  });
});

describe('case C-20: after ten thousand mixed operations', () => {
  test('there is no drift', async () => {
    const bench = new SinkBench({ ledgerCapacity: 300, rememberedReservations: 50 });
    const accounts = [
      accountOf('total', { limit: 1e6 }),
      accountOf('hour', { limit: 1e6, window: { fixed: '1h' }, attribute: 'settle' }),
      accountOf('rolling', { limit: 1e6, window: { rolling: '1h' }, onExpiry: 'release' }),
    ];
    for (let step = 0; step < 10_000; step += 1) {
      const claims = accounts.map((account) => [account, step % 97] as const);
      bench.reserve(`r${step}`, ...claims);
      if (step % 7 === 0) bench.settle(`r${step - 3}`, { total: step % 89, hour: 5 });
      if (step % 11 === 0) bench.sink.release(`r${step - 5}`);
      if (step % 13 === 0) bench.extend(`r${step - 2}`, [accounts[0] as Account, 120]);
      bench.clock.advance(1_000);
    }
    const report = await bench.sink.verify();
    expect(report.differences).toEqual([]);
    expect(report.entries).toBeGreaterThan(9_000);
    expect((await bench.sink.rebuild()).differences).toEqual([]);
  });
});
