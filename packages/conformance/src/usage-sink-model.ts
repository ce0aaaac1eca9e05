import type { Account, Awaitable, UsageSink } from '@hardcap/core';
import { type HistoryClock, Lockstep } from './model/lockstep.ts';
import { modelAccounts, START } from './model/model-accounts.ts';
import { PlainSink } from './model/plain-sink.ts';
import { type FastCheck, type Step, stepOf } from './model/step.ts';
import type { SinkContext, SinkUnderTest } from './sink-under-test.ts';

export interface UsageSinkModelOptions {
  /** The module `fast-check`, 3 or 4. */
  readonly fastCheck: FastCheck;
  /** Makes sinks by name, anew for each history. Their clock is that of the context. */
  readonly createSinks: (
    context: SinkContext,
  ) => Awaitable<Readonly<Record<string, SinkUnderTest>>>;
  /** How many histories. @default 1_000 */
  readonly runs?: number;
  /** Steps of the longest history. @default 60 */
  readonly maxSteps?: number;
  /** Histories are about those accounts of the model alone, and get further with them. @default all */
  readonly only?: (account: Account) => boolean;
  /** Repeats the histories of a failure that was reported. */
  readonly seed?: number;
}

/** How often in a history the ledgers are compared, in steps. */
const BOOKS_EVERY = 10;

/**
 * Drives any number of sinks through random histories, together with a model that adds everything up
 * anew from plain lists. All must agree in every answer, reading, notice, ledger entry and proof.
 *
 * @throws an error of fast-check with the shortest history in which they do not.
 */
export async function usageSinkModel(options: UsageSinkModelOptions): Promise<void> {
  const { fastCheck: fc, createSinks, runs = 1_000, maxSteps = 60, seed } = options;
  const { only = () => true } = options;
  const historyOn = (places: readonly number[]) =>
    fc.array(stepOf(fc, places, START), { maxLength: maxSteps, size: 'max' });
  const places = [...modelAccounts().entries()].flatMap(([place, account]) => {
    return only(account) ? [place] : [];
  });
  // On few accounts histories get further: these alone have much to do with the window before.
  const saving = places.filter((place) => modelAccounts()[place]?.rule.rollover !== undefined);
  const ofSaving = saving.length === 0 ? [] : [saving];
  const history = fc.oneof(
    { weight: 3, arbitrary: historyOn(places) },
    ...ofSaving.map((some) => ({ weight: 1, arbitrary: historyOn(some) })),
  );
  const property = fc.asyncProperty(history, (steps) => follow(steps, createSinks));
  await fc.assert(property, { numRuns: runs, ...(seed === undefined ? {} : { seed }) });
}

async function follow(
  steps: readonly Step[],
  createSinks: UsageSinkModelOptions['createSinks'],
): Promise<void> {
  const clock: HistoryClock = { time: START };
  const context = { now: () => clock.time };
  const subjects = Object.entries(await createSinks(context));
  const sinks = subjects.map(([name, { sink }]): [string, UsageSink] => [name, sink]);
  const lockstep = new Lockstep(clock, {
    model: new PlainSink(context),
    ...Object.fromEntries(sinks),
  });
  try {
    for (const [place, step] of steps.entries()) {
      await lockstep.take(step);
      if (place % BOOKS_EVERY === 0) await lockstep.compareBooks();
    }
    await lockstep.rebuild();
  } finally {
    for (const [, subject] of subjects) {
      await subject.sink.close();
      await subject.close?.();
    }
  }
}
