import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Ended, Running } from '../processes.ts';

const KILLS = 12;
const LONGEST_LIFE_MS = 60;

interface Report {
  readonly type: string;
}

/**
 * Keeps so many workers running, kills some of them a while after they have said that they have `begun` to
 * make calls, and waits until the others are through.
 */
export async function killAtRandom<Message extends Report>(
  processes: number,
  startNext: () => Running<Message>,
  random: (below: number) => number,
): Promise<readonly Ended<Message>[]> {
  const all: Running<Message>[] = [];
  const run = (): Running<Message> => {
    const worker = startNext();
    all.push(worker);
    return worker;
  };
  const running = Array.from({ length: processes }, () => {
    const worker = run();
    return { worker, begun: begins(worker) };
  });
  for (let kills = 0; kills < KILLS; kills += 1) {
    const place = random(processes);
    const victim = running[place];
    await victim?.begun;
    // The first at once, while it holds something in any case.
    if (kills > 0) await pause(random(LONGEST_LIFE_MS));
    victim?.worker.child.kill('SIGKILL');
    const worker = run();
    running[place] = { worker, begun: begins(worker) };
  }
  return Promise.all(all.map(({ ended }) => ended));
}

/** Until it makes calls, or is through. */
async function begins({ child, ended }: Running<Report>): Promise<void> {
  const said = async () => {
    for (;;) {
      const [report] = (await once(child, 'message')) as [Report];
      if (report.type === 'begun') return;
    }
  };
  await Promise.race([said(), ended]);
}
