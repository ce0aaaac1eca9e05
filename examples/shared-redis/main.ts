import { fileURLToPath } from 'node:url';
import { heading, styled } from '@hardcap/example-ai-sdk-agent/call-table.ts';
import { type DemoProvider, localProvider } from '@hardcap/example-ai-sdk-agent/provider.ts';
import { compareSharedBooks, holdsExpired } from '@hardcap/example-ai-sdk-agent/shared-books.ts';
import { runTeam } from '@hardcap/example-ai-sdk-agent/team-processes.ts';
import { CAP, fleetGuard } from './fleet-guard.ts';
import { startLocalRedis } from './local-redis.ts';

const WORKER = fileURLToPath(new URL('fleet-worker.ts', import.meta.url));

/** Three processes under one cap in Redis. False when the books do not agree. */
async function sharedRedis(url: string, { baseUrl, books }: DemoProvider): Promise<boolean> {
  heading(`Three processes, one Redis, one cap of $${CAP}`);
  await runTeam(WORKER, [url, baseUrl ?? '']);
  const guard = fleetGuard(url);
  try {
    await holdsExpired(guard);
    heading('The books in Redis');
    return await compareSharedBooks(guard, CAP, books?.exchanges ?? null);
  } finally {
    await guard.close();
  }
}

const redis = await startLocalRedis();
if (redis === null) {
  console.error(
    'There is no redis-server here. Install it, and run this again: `sudo apt-get install ' +
      'redis-server`, `brew install redis`, `dnf install redis` or `apk add redis`.',
  );
  process.exit(1);
}
const provider = await localProvider();
console.log(styled('dim', `A redis-server of the demo's own, at ${redis.url}.`));
try {
  if (!(await sharedRedis(redis.url, provider))) {
    console.error(styled('red', 'The books do not agree.'));
    process.exitCode = 1;
  }
} finally {
  await provider.close();
  await redis.stop();
}
