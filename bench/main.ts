import { report } from './gate.ts';
import { memoryPairGate } from './memory-pair.ts';
import { streamChunkGates } from './stream-chunk.ts';

const gates = [await memoryPairGate(), ...(await streamChunkGates())];
if (!report(gates)) {
  console.error('A gate does not hold.');
  process.exitCode = 1;
}
