// Calls of 7,000 by a process whose clock is wrong: `node clock-worker.ts <port> <hours> <calls>`.
import { RedisUsageSink } from '@hardcap/redis';
import { CALL, type ClockReport, minuteAccount } from './fleet.ts';

const [, , port = '', hours = '0', calls = ''] = process.argv;
const { now } = Date;
Date.now = () => now() + Number(hours) * 3_600_000;

const sink = new RedisUsageSink(`redis://127.0.0.1:${port}`, { timeoutMs: 20_000 });
const account = minuteAccount();
const report: ClockReport = { admitted: {}, refused: {} };

function count(tally: Record<string, number>, startsAt: number): void {
  tally[startsAt] = (tally[startsAt] ?? 0) + 1;
}

for (let call = 0; call < Number(calls); call += 1) {
  const id = `${hours}-${call}`;
  const claims = [{ account, amount: CALL }];
  const answer = await sink.reserve({ id, claims, ttlMs: 600_000 });
  if (!answer.admitted) {
    count(report.refused, (answer.refusals[0]?.resetsAt ?? 0) - 60_000);
    continue;
  }
  const settled = await sink.settle({ id, outcome: 'known', charges: [], details: {} });
  if (settled.status !== 'settled') throw new Error(`A call ended as ${settled.status}.`);
  count(report.admitted, Date.parse(settled.charged[0]?.window.slice(3) ?? ''));
}
await sink.close();
process.send?.(report, () => process.disconnect());
