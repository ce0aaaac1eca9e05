import { createSpendGuard, MemoryUsageSink } from '../../src/index.ts';
import { AwaySink } from './away-sink.ts';
import { admit, callOf, usdBudget } from './guard.ts';
import { PRICES } from './prices.ts';

/** Leaves two calls unsent and ends, as told: `node exiting-worker.ts <way>`. Prints events. */
const [, , way = ''] = process.argv;
const sink = new AwaySink(new MemoryUsageSink());
const guard = createSpendGuard({
  budgets: [usdBudget('1')],
  sink,
  prices: PRICES,
  onEvent: (event) => {
    if (event.type === 'settlements-lost') console.log(JSON.stringify(event));
  },
});
const [settled, released] = [await admit(guard, callOf(100)), await admit(guard, callOf(100))];
sink.lost = 'request';
await settled.settle({ outcome: 'known', costNanoUsd: 7 });
await released.release();
console.log(JSON.stringify([settled.id, released.id]));
if (way === 'exit') process.exit(3);
if (way === 'throw') throw new Error('on purpose');
if (way === 'sent') {
  sink.lost = null;
  await guard.flush();
}
if (way === 'closed') await guard.close({ timeoutMs: 1 });
