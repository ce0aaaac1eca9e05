// One of several processes of agents and their children: `node family-worker.ts <store> <seed>`.
import { BudgetExceededError, type Grant } from '@hardcap/core';
import { randomOf } from '../random.ts';
import { AGENT, guardOf, type Order, type Report, type Store } from './family.ts';

const [, , store = '', seed = '0'] = process.argv;
const guard = guardOf(store as Store);
const random = randomOf(Number(seed));
const grants = new Map<string, Grant>();

const say = (report: Report): unknown => process.send?.(report);

async function spawn(child: string): Promise<void> {
  try {
    const grant = await guard.grant({ from: { ...AGENT, child }, limit: { usd: '0.05' } });
    grants.set(child, grant);
    say({ type: 'granted', child, token: grant.token });
  } catch (error) {
    if (!BudgetExceededError.isInstance(error)) throw error;
    say({ type: 'refused', child, denial: error.denial });
  }
}

/** A call of up to 2,000 output tokens, which hold $0.02, on a grant of somebody else. */
async function callOn(token: string, child: string) {
  const grant = await guard.grant(token);
  const identity = { ...AGENT, child, ...grant.identity };
  const names = { provider: 'acme', model: 'small', inputTokens: 0 };
  return guard.reserve({ ...names, maxOutputTokens: 2_000, identity });
}

async function run({ child, token, calls }: Extract<Order, { type: 'run' }>): Promise<void> {
  let [spent, denied] = [0, 0];
  for (let call = 0; call < calls; call += 1) {
    const reservation = await callOn(token, child);
    if (!reservation.admitted) {
      denied += 1;
      continue;
    }
    const costNanoUsd = random(20_000_001);
    await reservation.call.settle({ outcome: 'known', costNanoUsd });
    spent += costNanoUsd;
  }
  say({ type: 'ran', child, spent, denied });
}

async function hang({ child, token }: Extract<Order, { type: 'hang' }>): Promise<void> {
  const reservation = await callOn(token, child);
  if (!reservation.admitted) throw new Error(JSON.stringify(reservation.denial));
  const { call } = reservation;
  const { signal } = call;
  signal.addEventListener('abort', async () => {
    const { denial } = signal.reason as BudgetExceededError;
    await call.settle({ outcome: 'known', costNanoUsd: 1_000_000 });
    say({ type: 'stopped', child, kinds: denial.refusals.map(({ kind }) => kind) });
  });
  say({ type: 'hangs', child });
}

async function end(child: string, how: 'close' | 'revoke'): Promise<void> {
  const { spent } = await (grants.get(child) as Grant)[how]();
  say({ type: 'closed', child, spent });
}

process.on('message', (order: Order) => {
  if (order.type === 'spawn') for (const child of order.children) void spawn(child);
  else if (order.type === 'run') void run(order);
  else if (order.type === 'hang') void hang(order);
  else void end(order.child, order.type);
});
process.on('disconnect', () => void guard.close().then(() => process.exit()));
await guard.status(AGENT);
say({ type: 'ready' });
