import { readFileSync } from 'node:fs';

/** How long an event loop stood still at a time, in ms. */
export interface Stalls {
  /** The longest, whatever the reason. */
  readonly longest: number;
  /**
   * The longest by its own doing: computing, and waiting for the disk or a lock. The time in which it
   * could have gone on and other processes had the processor is not in it, where the kernel tells.
   */
  readonly longestOwn: number;
}

const TICK_MS = 1;

/**
 * Ms that the main thread was ready to run so far, and no processor was free: the second figure of
 * schedstat (Linux, Documentation/scheduler/sched-stats.rst). Always 0 on other systems, which makes
 * all of a stall its own.
 */
function waitedForProcessor(): number {
  try {
    return Number(readFileSync('/proc/self/schedstat', 'utf8').split(' ')[1]) / 1e6;
  } catch {
    return 0;
  }
}

/** How long the event loop stood still while some work went on. */
export async function stallsDuring(work: () => Promise<void>): Promise<Stalls> {
  let [longest, longestOwn] = [0, 0];
  let [last, waited] = [performance.now(), waitedForProcessor()];
  const tick = () => {
    const [now, waitedNow] = [performance.now(), waitedForProcessor()];
    const stall = Math.max(0, now - last - TICK_MS);
    longest = Math.max(longest, stall);
    longestOwn = Math.max(longestOwn, stall - (waitedNow - waited));
    [last, waited] = [now, waitedNow];
  };
  const ticking = setInterval(tick, TICK_MS);
  await work();
  // What the work did last is not over before the next turn.
  await new Promise((done) => setTimeout(done, TICK_MS));
  tick();
  clearInterval(ticking);
  return { longest, longestOwn };
}
