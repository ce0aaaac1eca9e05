// Asks for more than fits above the partitions, round after round, for each tenant in turn:
// `node partition-rounds-worker.ts <ports> <rounds> <calls> <name>`.
import { CALL, CAP, type RoundsReport, roundAccount } from './fleet.ts';
import { ORGS, orgAccount, sinkOnCluster } from './partition-fleet.ts';

const [, , ports = '', rounds = '', calls = '', name = ''] = process.argv;
const { sink, client } = sinkOnCluster(ports, { namespace: 'rounds' });
const admitted: number[] = [];

for (let round = 0; round < Number(rounds); round += 1) {
  const answers = await Promise.all(
    Array.from({ length: Number(calls) }, async (_, call) => {
      const id = `${name}-${round}-${call}`;
      const org = ORGS[call % ORGS.length] ?? '';
      const claims = [orgAccount(org, 100 * CAP), roundAccount(round)].map((account) => ({
        account,
        amount: CALL,
      }));
      const answer = await sink.reserve({ id, claims, ttlMs: 600_000 });
      if (!answer.admitted) return 0;
      await sink.settle({ id, outcome: 'known', charges: [], details: {} });
      return 1;
    }),
  );
  admitted.push(answers.filter((count) => count === 1).length);
}
await sink.close();
client.disconnect();
const report: RoundsReport = { admitted };
process.send?.(report, () => process.disconnect());
