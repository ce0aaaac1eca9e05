import type { Exchange } from './exchange.ts';

/** Sends so many chunks of an answer whose pace is `manual`, one after the other. */
export async function sendChunks(exchange: Exchange, count: number): Promise<void> {
  for (let chunk = 0; chunk < count; chunk += 1) await exchange.sendChunk();
}
