// Asks for more than fits, round after round: `node rounds-worker.ts <port> <rounds> <calls> <name> [leases]`.
import { setTimeout as pause } from 'node:timers/promises';
import type { Account } from '@hardcap/core';
import { RedisUsageSink } from '@hardcap/redis';
import { CALL, LEASES, type RoundsReport, roundAccount } from './fleet.ts';

const [, , port = '', rounds = '', calls = '', name = '', ...how] = process.argv;
const isLeasing = how.includes('leases');
const sink = new RedisUsageSink(`redis://127.0.0.1:${port}`, {
  timeoutMs: 20_000,
  ...(isLeasing ? { leases: { ...LEASES, after: 2, share: 1 / 8 } } : {}),
});
const admitted: number[] = [];

async function call(id: string, account: Account): Promise<boolean> {
  const claims = [{ account, amount: CALL }];
  const answer = await sink.reserve({ id, claims, ttlMs: 600_000 });
  if (answer.admitted) {
    await sink.settle({ id, outcome: 'known', charges: [], details: {} });
    return true;
  }
  if (!isLeasing || answer.refusals.some(({ kind }) => kind !== 'held')) return false;
  // What others have leased comes back.
  await pause(20);
  return call(`${id}+`, account);
}

for (let round = 0; round < Number(rounds); round += 1) {
  const account = roundAccount(round);
  const ids = Array.from({ length: Number(calls) }, (_, each) => `${name}-${round}-${each}`);
  let count = 0;
  if (isLeasing) {
    for (const id of ids) count += (await call(id, account)) ? 1 : 0;
  } else {
    const answers = await Promise.all(ids.map((id) => call(id, account)));
    count = answers.filter((isAdmitted) => isAdmitted).length;
  }
  admitted.push(count);
}
await sink.close();
const report: RoundsReport = { admitted };
process.send?.(report, () => process.disconnect());
