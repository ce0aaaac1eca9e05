import { SqliteUsageSink } from '@hardcap/sqlite';
import { randomOf } from '../random.ts';
import { accountOf } from './account.ts';
import { DyingDatabase } from './dying-database.ts';
import { LIMIT, type Step, type Told, TTL_MS } from './kill-steps.ts';
import { PATIENT_MS } from './patience.ts';

/** Makes some calls and dies in the last: `node kill-worker.ts <file> <seed> <step>`. */
const [, , file = '', seed = '0', doom = ''] = process.argv;
const random = randomOf(Number(seed));
const database = new DyingDatabase(file);
const sink = new SqliteUsageSink(database, { timeoutMs: PATIENT_MS });
const accounts = [accountOf('org', LIMIT), accountOf('user', LIMIT), accountOf('run', LIMIT)];

function told(message: Told): Promise<void> {
  return new Promise((done) => process.send?.(message, () => done()));
}

/** Dies here when this is the step, or somewhere in what comes next. */
async function at(step: Step, isDoomed: boolean): Promise<void> {
  if (!isDoomed || step !== doom) return;
  // A transaction over three accounts takes about 30 statements; the commit is one of them.
  if (step.startsWith('during')) database.dieAfter(random(34));
  else process.kill(process.pid, 'SIGKILL');
}

async function call(number: number, isDoomed: boolean): Promise<void> {
  const id = `${seed}-${number}`;
  const amount = 10 + random(90);
  const claims = (total: number) => accounts.map((account) => ({ account, amount: total }));
  await at('before reserve', isDoomed);
  await at('during reserve', isDoomed);
  const { admitted } = await sink.reserve({ id, claims: claims(amount), ttlMs: TTL_MS });
  if (!admitted) throw new Error('The cap is too small for this test.');
  await told({ id, what: 'held', amount });
  await at('after reserve', isDoomed);
  await at('during extend', isDoomed);
  await sink.extend({ id, claims: claims(amount + 50), ttlMs: TTL_MS });
  await told({ id, what: 'extended', amount: amount + 50 });
  await at('mid-stream', isDoomed);
  await new Promise((done) => setImmediate(done));
  const actual = random(amount + 50);
  const charges = accounts.map(({ key }) => ({ account: key, amount: actual }));
  await at('before settle', isDoomed);
  await at('during settle', isDoomed);
  await sink.settle({ id, outcome: 'known', charges, details: {} });
  await told({ id, what: 'settled', amount: actual });
  await at('after settle', isDoomed);
}

const whole = random(3);
for (let number = 0; number < whole; number += 1) await call(number, false);
await call(whole, true);
// Fewer statements than were counted down to.
process.kill(process.pid, 'SIGKILL');
