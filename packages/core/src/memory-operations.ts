/** What a memory sink does beside the path of calls, in one file, since it is loaded when first asked for. */
export { adjustMemory } from './memory-adjust.ts';
export { verifyMemory } from './verify-memory.ts';
