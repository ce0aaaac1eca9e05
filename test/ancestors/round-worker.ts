import { openSink, runRounds, workerGuard } from './round-guard.ts';

// One of eight: `node round-worker.ts <kind of store> <address> <rounds>`.
const [, , kind = '', address = '', rounds = ''] = process.argv;
const guard = workerGuard(openSink(kind, address));
const admitted = await runRounds(guard, Number(rounds));
await guard.close();
process.send?.(admitted, () => process.disconnect());
