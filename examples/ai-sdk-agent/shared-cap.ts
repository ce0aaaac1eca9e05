import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { exactly, heading, styled } from './call-table.ts';
import type { DemoProvider } from './provider.ts';
import { compareSharedBooks, holdsExpired } from './shared-books.ts';
import { CAP, teamGuard } from './team-guard.ts';
import type { WorkerMessage } from './team-worker.ts';

const NAMES = ['a', 'b', 'c'] as const;
/** Is killed while its second answer is on its way. */
const VICTIM = 'c';
const LAST_CALL_OF_VICTIM = 2;
const INTO_THE_ANSWER_MS = 200;
const WORKER = fileURLToPath(new URL('team-worker.ts', import.meta.url));

/**
 * Three processes under one cap in a SQLite file; one of them is killed in the middle of a call.
 * False when the books do not agree.
 */
export async function sharedCap(provider: DemoProvider): Promise<boolean> {
  heading(`Three processes, one SQLite file, one cap of $${CAP}`);
  const folder = mkdtempSync(join(tmpdir(), 'hardcap-demo-'));
  const guard = teamGuard(join(folder, 'usage.db'));
  const earlier = provider.books?.exchanges.length ?? 0;
  try {
    console.log(styled('dim', 'process   call        actual  spent by all'));
    const counter = { spent: 0 };
    await Promise.all(NAMES.map((name) => watch(name, folder, provider, counter)));
    console.log(
      `\nThe call of process ${VICTIM} may have run: when its hold expires it is charged.`,
    );
    await holdsExpired(guard);
    heading('The books of the file');
    return await compareSharedBooks(guard, provider.books?.exchanges.slice(earlier) ?? null);
  } finally {
    await guard.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Starts a process, and tells what it says until it ends. */
function watch(
  name: (typeof NAMES)[number],
  folder: string,
  { baseUrl }: DemoProvider,
  counter: { spent: number },
): Promise<void> {
  const child = fork(WORKER, [join(folder, 'usage.db'), baseUrl ?? '']);
  let calls = 0;
  child.on('message', (message: WorkerMessage) => {
    if (message.type === 'reserved') {
      calls += 1;
      if (name === VICTIM && calls === LAST_CALL_OF_VICTIM)
        setTimeout(() => kill(child, message.heldNanoUsd), INTO_THE_ANSWER_MS);
    } else if (message.type === 'settled') {
      counter.spent += message.costNanoUsd;
      console.log(line(name, calls, message.costNanoUsd, counter.spent));
    } else {
      console.log(`${name.padEnd(7)}  ${styled('red', 'refused')}: ${message.reason}`);
    }
  });
  return new Promise((done, failed) => {
    child.on('error', failed);
    child.on('close', (code, signal) => {
      if (code === 0 || (name === VICTIM && signal === 'SIGKILL')) done();
      else failed(new Error(`Process ${name} ended with ${code ?? signal}.`));
    });
  });
}

function kill(child: ChildProcess, heldNanoUsd: number): void {
  child.kill('SIGKILL');
  const text = `killed with -9 in the middle of a call that holds ${exactly(heldNanoUsd)}`;
  console.log(`${VICTIM.padEnd(7)}  ${styled('red', text)}`);
}

function line(name: string, call: number, cost: number, spent: number): string {
  const dollars = (nano: number) => `$${(nano / 1e9).toFixed(4)}`.padStart(12);
  return `${name.padEnd(7)}  ${String(call).padStart(5)}  ${dollars(cost)}  ${dollars(spent)}`;
}
