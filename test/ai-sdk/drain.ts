import type { Streamed } from './sdk.ts';

/** Reads a stream to its end, whatever that is. */
export async function drain(result: Streamed): Promise<void> {
  try {
    for await (const _part of result.fullStream);
  } catch {
    // How the failure shows is not the point.
  }
}
