import { setImmediate as turn } from 'node:timers/promises';
import { createSpendGuard, type UsageSink } from '@hardcap/core';
import { SqliteUsageSink } from '@hardcap/sqlite';
import { randomOf } from '../random.ts';
import { DyingDatabase } from '../sqlite/dying-database.ts';
import { dieAtChange } from './dying-files.ts';
import { ACCOUNT, LIMIT, type Step, type Told, TTL_MS } from './kill-steps.ts';

/** Makes some calls and dies in the last: `node kill-worker.ts <store> <journal> <ms> <seed> <step>`. */
const [, , store = '', journal = '', offsetMs = '0', seed = '0', doom = ''] = process.argv;
const random = randomOf(Number(seed));
const now = () => Date.now() + Number(offsetMs);
const database = new DyingDatabase(store);
const sink: UsageSink = new SqliteUsageSink(database, { now });
const written = (['nothing', 'half', 'all'] as const)[random(3)] as 'half';

function die(): void {
  process.kill(process.pid, 'SIGKILL');
}

function at(step: Step, isDoomed: boolean): void {
  if (isDoomed && step === doom) die();
}

if (doom === 'while the journal opens') dieAtChange(random(14), written);
if (doom === 'during replay') database.dieAfter(random(40));
const guard = createSpendGuard({
  budgets: [{ name: ACCOUNT, per: [], limit: { tokens: LIMIT }, window: 'total' }],
  sink,
  reservationTtlMs: TTL_MS,
  journal,
});

function told(message: Told): Promise<void> {
  return new Promise((done) => process.send?.(message, () => done()));
}

/** Dies between the journal and the sink, inside the sink, or between its answer and the mark. */
function doomSettle(): void {
  if (doom === 'during the write to the journal') dieAtChange(0, written);
  const { settle } = sink;
  sink.settle = async (request) => {
    at('before the sink is told', true);
    if (doom === 'during settle') database.dieAfter(random(20));
    const answer = await settle.call(sink, request);
    at('before the mark', true);
    return answer;
  };
}

async function call(isDoomed: boolean): Promise<void> {
  at('before reserve', isDoomed);
  const maxOutputTokens = 10 + random(90);
  const request = { provider: 'p', model: 'm', inputTokens: 5, maxOutputTokens };
  const reservation = await guard.reserve(request);
  if (!reservation.admitted) throw new Error('The cap is too small for this test.');
  const { call: spend } = reservation;
  const output = random(maxOutputTokens);
  await told({ id: spend.id, held: 5 + maxOutputTokens, cost: 5 + output });
  at('after reserve', isDoomed);
  for (let chunk = 0; chunk < 3; chunk += 1) {
    await spend.meter({ tokens: 1 });
    await turn();
    if (chunk === 1) at('mid-stream', isDoomed);
  }
  const usage = { input: 5, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output, reasoning: 0 };
  at('before settle', isDoomed);
  if (isDoomed) doomSettle();
  await spend.settle({ outcome: 'known', usage });
}

if (doom === 'during replay') await guard.flush();
const whole = doom === 'at any moment' ? 1_000 : random(3);
for (let number = 0; number < whole; number += 1) await call(false);
await call(true);
// It was to die at a step that did not come.
die();
