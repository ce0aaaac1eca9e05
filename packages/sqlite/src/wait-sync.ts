import { isBusy } from './driver.ts';

const CELL = new Int32Array(new SharedArrayBuffer(4));
const PAUSE_MS = 10;

/** Does nothing for a while, and holds up the whole process: for the moment of opening a file alone. */
function waitSync(ms: number): void {
  Atomics.wait(CELL, 0, 0, ms);
}

/** Repeats work that fails since another process holds the lock, for so many ms. */
export function whileBusy<Result>(ms: number, work: () => Result): Result {
  const until = performance.now() + ms;
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || performance.now() > until) throw error;
      waitSync(PAUSE_MS + Math.random() * PAUSE_MS);
    }
  }
}
