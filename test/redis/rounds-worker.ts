// Asks for more than fits, round after round: `node rounds-worker.ts <port> <rounds> <calls> <name> [leases]`.
import { RedisUsageSink } from '@hardcap/redis';
import { CALL, LEASES, type RoundsReport, roundAccount } from './fleet.ts';

const [, , port = '', rounds = '', calls = '', name = '', ...how] = process.argv;
const sink = new RedisUsageSink(`redis://127.0.0.1:${port}`, {
  timeoutMs: 20_000,
  ...(how.includes('leases') ? { leases: LEASES } : {}),
});
const admitted: number[] = [];

for (let round = 0; round < Number(rounds); round += 1) {
  const account = roundAccount(round);
  const ids = Array.from({ length: Number(calls) }, (_, call) => `${name}-${round}-${call}`);
  const claims = [{ account, amount: CALL }];
  const answers = await Promise.all(
    ids.map(async (id) => {
      const answer = await sink.reserve({ id, claims, ttlMs: 600_000 });
      if (!answer.admitted) return 0;
      await sink.settle({ id, outcome: 'known', charges: [], details: {} });
      return 1;
    }),
  );
  admitted.push(answers.filter((count) => count === 1).length);
}
await sink.close();
const report: RoundsReport = { admitted };
process.send?.(report, () => process.disconnect());
