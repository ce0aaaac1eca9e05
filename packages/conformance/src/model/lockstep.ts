import {
  type Account,
  type Adjustment,
  type Claim,
  type CorrectionCharge,
  HardcapError,
  type SettleRequest,
  type SinkNotice,
  type UsageSink,
} from '@hardcap/core';
import { withTerms } from '../accounts.ts';
import { ensure, expectEqual } from '../check.ts';
import { Essence } from './essence.ts';
import { modelAccounts } from './model-accounts.ts';
import type { AmountsByPlace, Step } from './step.ts';

type Answer = { readonly at: number; readonly notices: readonly SinkNotice[] };

/** A clock that all sinks of a history share. */
export interface HistoryClock {
  time: number;
}

/** Drives sinks together, and compares each with the first after every step. */
export class Lockstep {
  readonly #clock: HistoryClock;
  readonly #sinks: readonly (readonly [name: string, sink: UsageSink])[];
  readonly #accounts: Account[] = modelAccounts();
  readonly #essence: Essence = new Essence(this.#accounts);
  readonly #told: Map<string, SinkNotice[]> = new Map();
  readonly #asked: Map<string, AmountsByPlace> = new Map();
  /** Keys of accounts that no call that was carried out has brought the new configuration of. */
  readonly #unmet: Set<string> = new Set();

  /** @param sinks by name; the first is the one that the others are measured by. */
  constructor(clock: HistoryClock, sinks: Readonly<Record<string, UsageSink>>) {
    this.#clock = clock;
    this.#sinks = Object.entries(sinks);
  }

  async take(step: Step): Promise<void> {
    this.#told.clear();
    if (step.type === 'wait') this.#clock.time += step.ms;
    else if (step.type === 'boundary') this.#goTo(step.place, step.offset);
    else if (step.type === 'configure') await this.#configure(step.place, step.limit);
    else await this.#ask(step);
    // Whatever a step came upon is told by now.
    await this.#all('the time', (sink) => sink.release('asks-for-the-time'));
    this.#same(
      'notices',
      this.#sinks.map(([name]) => {
        return this.#essence.ofNotices(this.#told.get(name) ?? []);
      }),
    );
    await this.#compareReadings();
  }

  /** The ledger and the proof of it. */
  async compareBooks(): Promise<void> {
    const ledgers = await Promise.all(this.#sinks.map(([, sink]) => entriesOf(sink)));
    this.#same(
      'the ledger',
      ledgers.map((entries) => this.#essence.ofEntries(entries)),
    );
    const reports = await Promise.all(this.#sinks.map(async ([, sink]) => sink.verify()));
    this.#same(
      'verify',
      reports.map(({ accounts: _, ...report }) => report),
    );
  }

  /** Rebuilding right counters changes nothing. */
  async rebuild(): Promise<void> {
    for (const [name, sink] of this.#sinks) {
      expectEqual((await sink.rebuild()).differences, [], `differences of ${name}`);
    }
    await this.#compareReadings();
    await this.compareBooks();
  }

  async #compareReadings(): Promise<void> {
    const accounts = this.#accounts;
    const readings = await Promise.all(this.#sinks.map(async ([, sink]) => sink.read(accounts)));
    this.#same('readings', readings);
  }

  #goTo(place: number, offset: number): void {
    const { window } = this.#accountAt(place).rule;
    const { time } = this.#clock;
    const isRolling = window.kind === 'rolling';
    const end = isRolling ? window.slotOf(time) + window.resolutionMs : window.at(time).endsAt;
    if (end !== null) this.#clock.time = end + offset;
  }

  /** Whether a change acts on calls that were admitted before it is left open: there are none then. */
  async #configure(place: number, limit: number): Promise<void> {
    const account = this.#accountAt(place);
    const entries = await entriesOf(this.#first);
    const ended = new Set(
      entries.flatMap((entry) => {
        return entry.kind === 'settlement' || entry.kind === 'correction' ? entry.reservation : [];
      }),
    );
    const isUsed = [...this.#asked].some(([id, amounts]) => {
      return !ended.has(id) && amounts.some(([at]) => at === place);
    });
    if (isUsed) return;
    this.#accounts[place] = withTerms(account, { limit });
    this.#essence.changed.add(account.key);
    this.#unmet.add(account.key);
  }

  async #ask(step: Extract<Step, { readonly id: string }>): Promise<void> {
    const { type, id } = step;
    if (type === 'adjust') {
      const { change } = step;
      const account = this.#accountAt(step.place);
      this.#unmet.delete(account.key);
      if (change.type !== 'reset') this.#essence.changed.add(account.key);
      await this.#all(type, (sink) => sink.adjust({ id, account, change, details: { id } }));
    } else if (type === 'correct') await this.#correct(step);
    else if (type === 'release') await this.#all(type, (sink) => sink.release(id));
    else if (type === 'settle') {
      const { outcome } = step;
      const charges = this.#claims(step.amounts).map(({ account, amount }) => ({
        account: account.key,
        amount,
      }));
      const request: SettleRequest = { id, outcome, charges, details: { id, tags: [outcome] } };
      await this.#all(type, (sink) => sink.settle(request));
    } else if (type === 'extend') {
      const request = { id, claims: this.#claims(step.amounts), ttlMs: step.ttlMs };
      await this.#all(type, (sink) => sink.extend(request));
    } else {
      const amounts = type === 'reserve' ? step.amounts : this.#asked.get(id);
      const ttlMs = type === 'reserve' ? step.ttlMs : 1;
      if (amounts !== undefined) await this.#reserve(id, amounts, ttlMs);
    }
  }

  /** Corrects what is in the ledger of a call, all of it at once. */
  async #correct(step: Extract<Step, { readonly type: 'correct' }>): Promise<void> {
    const { id, reservation, percent } = step;
    const entries = (await entriesOf(this.#first)).filter((entry) => {
      return 'reservation' in entry && entry.reservation === reservation;
    });
    const all = entries.flatMap((entry) =>
      entry.charges.map(({ held: _, ...place }): CorrectionCharge => {
        return { ...place, amount: Math.round((place.amount * percent) / 100) + step.amount };
      }),
    );
    const account = this.#accounts.find(({ key }) => key === all[0]?.account);
    if (account === undefined) return;
    this.#unmet.delete(account.key);
    // Which limit the others are measured by is left open.
    const charges = all.filter(({ account: key }) => !this.#unmet.has(key));
    const change: Adjustment = { type: 'correction', reservation, charges };
    await this.#all('correct', (sink) => sink.adjust({ id, account, change, details: { id } }));
  }

  async #reserve(id: string, amounts: AmountsByPlace, ttlMs: number): Promise<void> {
    const claims = this.#claims(amounts);
    const answers = await this.#all('reserve', (sink) => sink.reserve({ id, claims, ttlMs }));
    // A denial writes nothing but its counter: whether it brings a configuration is left open.
    if (!JSON.stringify(answers[0]).includes('"admitted":true')) return;
    const isNew = !this.#asked.has(id);
    this.#asked.set(id, amounts);
    if (!isNew) return;
    for (const { account } of claims) this.#unmet.delete(account.key);
    await this.#expectWithinLimits(claims);
  }

  /** An admission never takes S + R above the limit in force. */
  async #expectWithinLimits(claims: readonly Claim[]): Promise<void> {
    const enforced = claims.filter(({ account }) => account.rule.shadow !== true);
    const readings = await this.#first.read(enforced.map(({ account }) => account));
    for (const { account, limit, committed, held } of readings) {
      const isWithin = limit === null || committed + held <= limit;
      ensure(isWithin, `${account}: ${committed} + ${held} is above ${limit}`);
    }
  }

  /** Asks all sinks the same, and compares the answers, or the errors. */
  async #all(
    what: string,
    ask: (sink: UsageSink) => Promise<Answer> | PromiseLike<Answer> | Answer,
  ): Promise<unknown[]> {
    const answers = await Promise.all(
      this.#sinks.map(async ([name, sink]) => {
        try {
          const answer = await ask(sink);
          this.#told.set(name, [...(this.#told.get(name) ?? []), ...answer.notices]);
          return this.#essence.ofAnswer(answer);
        } catch (error) {
          if (HardcapError.isInstance(error)) return error.code;
          throw error;
        }
      }),
    );
    this.#same(what, answers);
    return answers;
  }

  #same(what: string, values: readonly unknown[]): void {
    for (const [place, [name]] of this.#sinks.entries()) {
      expectEqual(values[place], values[0], `${name}: ${what}`);
    }
  }

  get #first(): UsageSink {
    const [first] = this.#sinks;
    ensure(first !== undefined, 'a lockstep needs a sink');
    return first[1];
  }

  #accountAt(place: number): Account {
    const account = this.#accounts[place];
    ensure(account !== undefined, `there is no account ${place}`);
    return account;
  }

  #claims(amounts: AmountsByPlace): Claim[] {
    return amounts.map(([place, amount]) => ({ account: this.#accountAt(place), amount }));
  }
}

async function entriesOf(sink: UsageSink) {
  const entries = [];
  for await (const entry of sink.entries()) entries.push(entry);
  return entries;
}
