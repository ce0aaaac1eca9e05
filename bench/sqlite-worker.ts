import { SqliteUsageSink } from '@hardcap/sqlite';
import { reserveFor } from './sqlite-load.ts';

/** One of several processes on one file: `node sqlite-worker.ts <file> <name>`. */
const [, , file = '', name = ''] = process.argv;
// On a machine that is busy with other things somebody may be the last for long.
const sink = new SqliteUsageSink(file, { timeoutMs: 30_000 });
await reserveFor(sink, 300, `${name}-warm-`);
process.on('message', async (ms: number) => {
  process.send?.(await reserveFor(sink, ms, `${name}-`));
  await sink.close();
  process.disconnect();
});
process.send?.('ready');
