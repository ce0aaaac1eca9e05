// Makes a call while the server hangs, and waits to be killed: `node outage-worker.ts <port> <journal>`.
import { once } from 'node:events';
import { createSpendGuard } from '@hardcap/core';
import { RedisUsageSink } from '@hardcap/redis';
import { OUTAGE_BUDGET, request, used } from './outage.ts';

const [, , port = '', journal = ''] = process.argv;
const guard = createSpendGuard({
  budgets: [OUTAGE_BUDGET],
  sink: new RedisUsageSink(`redis://127.0.0.1:${port}`, { timeoutMs: 1_500 }),
  timeoutMs: 1_000,
  journal,
});

async function call(): Promise<string> {
  const reservation = await guard.reserve(request(40));
  if (!reservation.admitted) return 'refused';
  return (await reservation.call.settle(used(30))).status;
}

process.send?.(await call());
await once(process, 'message');
process.send?.(await call());
// Until it is killed.
setInterval(() => {}, 60_000);
