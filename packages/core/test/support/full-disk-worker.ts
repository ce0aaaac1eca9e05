import { createSpendGuard, MemoryUsageSink } from '../../src/index.ts';
import { admit, callOf, usdBudget } from './guard.ts';
import { PRICES } from './prices.ts';

/** Settles ten calls of 7 with a journal, and prints what failed of it: `node … <journal>`. */
const [, , journal = ''] = process.argv;
// The file size limit then shows as an error, as a full disk does, and does not end the process.
process.on('SIGXFSZ', () => {});
const failed: unknown[] = [];
const guard = createSpendGuard({
  budgets: [usdBudget('1')],
  sink: new MemoryUsageSink(),
  prices: PRICES,
  journal,
  onEvent: (event) => {
    if (event.type === 'journal-failed') failed.push(event.id ?? 'mark');
  },
});
const ids: string[] = [];
for (let number = 0; number < 10; number += 1) {
  const call = await admit(guard, callOf(1));
  ids.push(call.id);
  await call.settle({ outcome: 'known', costNanoUsd: 7 });
}
const [status] = await guard.status();
console.log(JSON.stringify({ ids, failed, committed: status?.committed }));
// Gone without a close, so that nothing is marked.
process.kill(process.pid, 'SIGKILL');
