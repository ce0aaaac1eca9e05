import { report } from './gate.ts';
import { memoryPairGate } from './memory-pair.ts';
import { sqliteGates } from './sqlite.ts';
import { sqliteVerifyGates } from './sqlite-verify.ts';
import { streamChunkGates } from './stream-chunk.ts';
import { warmQuoteGate } from './warm-quote.ts';

const gates = [
  await memoryPairGate(),
  ...(await streamChunkGates()),
  await warmQuoteGate(),
  ...(await sqliteGates()),
  ...(await sqliteVerifyGates()),
];
if (!report(gates)) {
  console.error('A gate does not hold.');
  process.exitCode = 1;
}
