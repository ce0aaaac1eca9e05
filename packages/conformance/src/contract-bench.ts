import type {
  Account,
  AccountReading,
  AdjustAnswer,
  Adjustment,
  EntryQuery,
  ExtendAnswer,
  Outcome,
  Refusal,
  ReleaseAnswer,
  ReserveAnswer,
  SettleAnswer,
  SinkEntry,
  SinkNotice,
  UsageSink,
} from '@hardcap/core';
import { type Claims, claimsOf } from './accounts.ts';
import { ContractViolation, ensure, expectEqual } from './check.ts';
import type { ContractClock } from './contract-clock.ts';
import type { SinkUnderTest } from './sink-under-test.ts';

/** Lifetime of a hold that is not to expire, in ms. */
export const TTL: number = 7 * 24 * 3_600_000;

/** A sink with a clock, in the short words that tests need. Keeps every notice it is given. */
export class ContractBench {
  readonly clock: ContractClock;
  readonly notices: SinkNotice[] = [];
  readonly #subject: SinkUnderTest;
  #sink: UsageSink;
  #opened: Set<UsageSink>;
  #made = 0;

  constructor(subject: SinkUnderTest, clock: ContractClock) {
    this.clock = clock;
    this.#subject = subject;
    this.#sink = subject.sink;
    this.#opened = new Set([subject.sink]);
  }

  get sink(): UsageSink {
    return this.#sink;
  }

  /** The time on the sink's clock. */
  async at(): Promise<number> {
    return (await this.release('asks-for-the-time')).at;
  }

  async reserve(id: string, ...claims: Claims): Promise<ReserveAnswer> {
    return this.#heard(await this.#sink.reserve({ id, claims: claimsOf(claims), ttlMs: TTL }));
  }

  /** Holds for as long as {@link expire} waits. */
  async reserveBriefly(id: string, ...claims: Claims): Promise<ReserveAnswer> {
    const ttlMs = this.clock.holdMs;
    return this.#heard(await this.#sink.reserve({ id, claims: claimsOf(claims), ttlMs }));
  }

  /** Lets time pass until what was held briefly has expired. */
  async expire(): Promise<void> {
    await this.clock.pass(this.clock.holdMs);
  }

  async extend(id: string, ...claims: Claims): Promise<ExtendAnswer> {
    return this.#heard(await this.#sink.extend({ id, claims: claimsOf(claims), ttlMs: TTL }));
  }

  async extendBriefly(id: string, ...claims: Claims): Promise<ExtendAnswer> {
    const ttlMs = this.clock.holdMs;
    return this.#heard(await this.#sink.extend({ id, claims: claimsOf(claims), ttlMs }));
  }

  /** Settles with these amounts by account; what is not named is charged its hold. */
  async settle(
    id: string,
    amounts: Readonly<Record<string, number | 'hold'>> = {},
    outcome: Outcome = 'known',
  ): Promise<SettleAnswer> {
    const charges = Object.entries(amounts).map(([account, amount]) => ({ account, amount }));
    return this.#heard(await this.#sink.settle({ id, outcome, charges, details: {} }));
  }

  async release(id: string): Promise<ReleaseAnswer> {
    return this.#heard(await this.#sink.release(id));
  }

  async adjust(account: Account, change: Adjustment, id?: string): Promise<AdjustAnswer> {
    const request = { id: id ?? this.#newId('adjustment'), account, change, details: {} };
    return this.#heard(await this.#sink.adjust(request));
  }

  async read(account: Account): Promise<AccountReading> {
    const [reading] = await this.#sink.read([account]);
    ensure(reading !== undefined, `read gives nothing for the account ${account.key}`);
    return reading;
  }

  async entries(query?: EntryQuery): Promise<SinkEntry[]> {
    const entries: SinkEntry[] = [];
    for await (const entry of this.#sink.entries(query)) entries.push(entry);
    return entries;
  }

  /** Charges an amount through a hold of nothing; the account must not be exhausted. */
  async spend(account: Account, amount: number): Promise<SettleAnswer> {
    const id = this.#newId('spend');
    const { admitted } = await this.reserve(id, [account, 0]);
    ensure(admitted, `a hold of nothing on ${account.key} should be admitted`);
    return this.settle(id, { [account.key]: amount });
  }

  /** @throws ContractViolation unless these are the settled spend and the open holds of an account. */
  async expectFigures(account: Account, committed: number, held: number): Promise<void> {
    const reading = await this.read(account);
    const figures = { committed: reading.committed, held: reading.held };
    expectEqual(figures, { committed, held }, `reading of ${account.key}`);
  }

  /** The thresholds noticed so far, as `budget share`. */
  crossed(): string[] {
    return this.notices.flatMap((notice) =>
      notice.type === 'threshold-crossed' ? [`${notice.budget} ${notice.threshold}`] : [],
    );
  }

  async reopen(): Promise<void> {
    ensure(this.#subject.reopen !== undefined, 'a durable sink comes with `reopen`');
    this.#opened.delete(this.#sink);
    this.#sink = await this.#subject.reopen();
    this.#opened.add(this.#sink);
  }

  /** Another bench over the same store; its clock is that of this one plus an offset. */
  async connect(offsetMs = 0): Promise<ContractBench> {
    ensure(this.#subject.connect !== undefined, 'a shared sink comes with `connect`');
    const sink = await this.#subject.connect({ now: () => this.clock.now() + offsetMs });
    this.#opened.add(sink);
    const bench = new ContractBench({ sink }, this.clock);
    bench.#opened = this.#opened;
    bench.#made = this.#opened.size * 1_000;
    return bench;
  }

  /** Closes the sink of this bench, while others go on. */
  async disconnect(): Promise<void> {
    this.#opened.delete(this.#sink);
    await this.#sink.close();
  }

  async loseData(): Promise<void> {
    ensure(this.#subject.loseData !== undefined, 'a sink that loses data comes with `loseData`');
    await this.#subject.loseData();
  }

  async tamper(account: Account, by: number): Promise<void> {
    ensure(this.#subject.tamper !== undefined, 'a sink that tampers comes with `tamper`');
    await this.#subject.tamper(account.key, by);
  }

  async deleteCounters(account: Account): Promise<void> {
    const { deleteCounters } = this.#subject;
    ensure(deleteCounters !== undefined, 'a sink that deletes comes with `deleteCounters`');
    await deleteCounters(account.key);
  }

  async close(): Promise<void> {
    for (const sink of this.#opened) await sink.close();
    await this.#subject.close?.();
  }

  #newId(kind: string): string {
    this.#made += 1;
    return `${kind}-${this.#made}`;
  }

  #heard<Answer extends { readonly notices: readonly SinkNotice[] }>(answer: Answer): Answer {
    this.notices.push(...answer.notices);
    return answer;
  }
}

/** The refusals of a denial. */
export function refusalsIn(answer: ReserveAnswer | ExtendAnswer): readonly Refusal[] {
  if ('refusals' in answer) return answer.refusals;
  throw new ContractViolation(`refused would be right, and not ${JSON.stringify(answer)}`);
}
