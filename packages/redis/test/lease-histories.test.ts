import * as fastCheck from 'fast-check';
import { afterAll, beforeAll, test } from 'vitest';
import { LeaseHistory } from './support/lease-history.ts';
import { histories } from './support/lease-operations.ts';
import { TestRedis } from './support/test-redis.ts';
import { MAY_BE_LATE } from './support/unsure-client.ts';

const redis = await TestRedis.start();
const client = redis.client();
const { LEASE_SEED = Date.now() % 1_000_000_000, LEASE_RUNS = 200 } = process.env;

// What runs late is sent by its digest, which a server that never had the script does not know.
beforeAll(async () => {
  for (const { text, flagged } of MAY_BE_LATE) {
    await client.script('LOAD', text);
    if (flagged !== undefined) await client.script('LOAD', flagged.text);
  }
});
afterAll(() => redis.stop());

test('leases keep the cap and the books in any history, whatever becomes of replies', {
  timeout: 300_000,
}, async () => {
  const seed = Number(LEASE_SEED);
  console.info(`lease histories: LEASE_SEED=${seed}`);
  const property = fastCheck.asyncProperty(histories, async (history) => {
    await new LeaseHistory(client, history).run(history);
  });
  await fastCheck.assert(property, { numRuns: Number(LEASE_RUNS), seed });
});
