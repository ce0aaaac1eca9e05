import type { ServerResponse } from 'node:http';

/**
 * Resolves when the system has taken the text, or the socket is gone. A client that does not read
 * therefore holds up the generation instead of filling our memory.
 */
export function writeOut(response: ServerResponse, text: string | Uint8Array): Promise<void> {
  if (text.length === 0) return Promise.resolve();
  return new Promise((resolve) => {
    response.write(text, () => resolve());
  });
}
