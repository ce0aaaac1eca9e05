import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { ReplicatedConnection } from '../src/replicated-connection.ts';
import { UnconfirmedError } from '../src/unconfirmed-error.ts';
import { accountOf } from './support/accounts.ts';
import { LeaseBench, reserve, settle } from './support/lease-bench.ts';
import { startPair } from './support/replica-pair.ts';

const [master, replica] = await startPair();
const follower = replica.client();
const a = accountOf('a', { limit: 1_000 });
const SURE = { replicas: 1, timeoutMs: 4_000 } as const;
/** More replicas than there are. */
const UNSURE = { replicas: 2, timeoutMs: 20 } as const;
let bench = new LeaseBench(master.client());
const opened: ReplicatedConnection[] = [];

afterAll(async () => {
  await replica.stop();
  await master.stop();
});
beforeEach(() => {
  bench = new LeaseBench(master.client());
});
afterEach(() => {
  for (const connection of opened.splice(0)) connection.disconnect();
});

function openWith(durability: typeof SURE | typeof UNSURE) {
  const replicated = new ReplicatedConnection(master.client(), durability);
  opened.push(replicated);
  return bench.open({}, { replicated });
}

/** What the replica knows to be held, leases among it. */
async function fieldsOnReplica(): Promise<string> {
  return (await follower.hkeys(bench.keys.books)).join();
}

test('a block is on the replica before anything is drawn of it; calls wait for none', async () => {
  const sink = openWith(SURE);
  await bench.lease(sink, [a], 100);
  expect(await fieldsOnReplica()).toContain('lease:p1:1');
  replica.server.signal('SIGSTOP');
  try {
    expect(await reserve(sink, 'drawn', [a], 50)).toBe(true);
    expect(await settle(sink, 'drawn', [a], 40)).toMatchObject({ status: 'settled' });
  } finally {
    replica.server.signal('SIGCONT');
  }
  await sink.close();
  expect(await bench.figures(a)).toBe('40+0');
  await bench.expectBooks();
});

test('a block that replicas do not confirm is drawn by nobody, and calls are refused as ever', async () => {
  const sink = openWith(UNSURE);
  for (const id of ['r1', 'r2', 'r3']) {
    await expect(reserve(sink, id, [a], 10)).rejects.toThrow(UnconfirmedError);
    await sink.sync().catch(() => {});
  }
  await sink.close();
  expect(await bench.figures(a)).toBe('0+0');
  await bench.expectBooks();
});

test('a block that can no longer be confirmed is not drawn beyond what it was', async () => {
  // Confirmed first, and from then on by nobody.
  const durability: { replicas: number; timeoutMs: number } = { replicas: 1, timeoutMs: 4_000 };
  const sink = openWith(durability as never);
  await bench.lease(sink, [a], 100);
  Object.assign(durability, UNSURE);
  expect(await reserve(sink, 'within', [a], 50)).toBe(true);
  await sink.sync().catch(() => {});
  const { held } = await bench.read(a);
  let drawn = 50;
  for (let call = 0; await reserve(sink, `more${call}`, [a], 10).catch(() => false); call += 1) {
    drawn += 10;
  }
  expect(drawn).toBeLessThanOrEqual(held);
  await settle(sink, 'within', [a], 45);
  Object.assign(durability, SURE);
  await sink.close();
  expect((await bench.read(a)).committed).toBe(45);
  await bench.expectBooks();
});
