import { SqliteUsageSink } from '@hardcap/sqlite';
import { reserveFor, stallOfShortTurns } from './sqlite-load.ts';

/** One of several processes on one file: `node sqlite-worker.ts <file> <name>`. */
const [, , file = '', name = ''] = process.argv;
const sink = new SqliteUsageSink(file);
await reserveFor(sink, 300, `${name}-warm-`);
process.on('message', async (ms: number) => {
  const bareStallMs = await stallOfShortTurns(ms);
  process.send?.({ ...(await reserveFor(sink, ms, `${name}-`)), bareStallMs });
  await sink.close();
  process.disconnect();
});
process.send?.('ready');
