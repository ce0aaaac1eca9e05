// Leases an account and uses it until it is used up: `node sleeper-worker.ts <port>`.
import { setImmediate as turn } from 'node:timers/promises';
import { RedisUsageSink } from '@hardcap/redis';
import { SLEEPER_LEASES, type SleeperReport, sleeperAccount } from './fleet.ts';

const [, , port = ''] = process.argv;
const AMOUNT = 10;
const COST = 7;
/** So many calls are open at once. */
const OPEN = 5;
const account = sleeperAccount();
const sink = new RedisUsageSink(`redis://127.0.0.1:${port}`, {
  timeoutMs: 20_000,
  leases: SLEEPER_LEASES,
});
const open: string[] = [];
let settled = 0;

async function settleOldest(): Promise<void> {
  const charges = [{ account: account.key, amount: COST }];
  const id = open.shift() as string;
  await sink.settle({ id, outcome: 'known', charges, details: {} });
  settled += COST;
}

for (let call = 0, isUsedUp = false; !isUsedUp; call += 1) {
  const id = `call-${call}`;
  const answer = await sink.reserve({
    id,
    claims: [{ account, amount: AMOUNT }],
    ttlMs: 600_000,
  });
  if (answer.admitted) open.push(id);
  else isUsedUp = open.length === 0;
  if (!answer.admitted ? open.length > 0 : open.length > OPEN) await settleOldest();
  await turn();
}
await sink.close();
const report: SleeperReport = { settled };
process.send?.(report, () => process.disconnect());
