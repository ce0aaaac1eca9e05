import { type ChildProcess, fork } from 'node:child_process';
import { exactly, styled } from './call-table.ts';
import type { WorkerMessage } from './work-until-refused.ts';

const NAMES = ['a', 'b', 'c'] as const;
/** Is killed while its second answer is on its way. */
const VICTIM = 'c';
const LAST_CALL_OF_VICTIM = 2;
const INTO_THE_ANSWER_MS = 200;

/**
 * Runs three processes of a worker at once, each until it is refused, and prints what they say. One of
 * them is killed in the middle of a call.
 */
export async function runTeam(worker: string, args: readonly string[]): Promise<void> {
  console.log(styled('dim', 'process   call        actual  spent by all'));
  const counter = { spent: 0, hasExpired: false };
  await Promise.all(NAMES.map((name) => watch(name, fork(worker, args), counter)));
  if (counter.hasExpired) return;
  console.log(`\nThe call of process ${VICTIM} may have run: when its hold expires it is charged.`);
}

/** Tells what a process says until it ends. */
function watch(
  name: (typeof NAMES)[number],
  child: ChildProcess,
  counter: { spent: number; hasExpired: boolean },
): Promise<void> {
  let calls = 0;
  child.on('message', (message: WorkerMessage) => {
    if (message.type === 'reserved') {
      calls += 1;
      if (name === VICTIM && calls === LAST_CALL_OF_VICTIM)
        setTimeout(() => kill(child, message.heldNanoUsd), INTO_THE_ANSWER_MS);
    } else if (message.type === 'settled') {
      counter.spent += message.costNanoUsd;
      console.log(line(name, calls, message.costNanoUsd, counter.spent));
    } else if (message.type === 'expired') {
      counter.spent += message.costNanoUsd;
      counter.hasExpired = true;
      console.log(expiryLine(message.costNanoUsd, counter.spent));
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

/** Nobody has heard of the call since its process was killed, and it may have run. */
function expiryLine(cost: number, spent: number): string {
  return `${line(VICTIM, LAST_CALL_OF_VICTIM, cost, spent)}  its hold has expired, and is charged`;
}

function dollars(nano: number): string {
  return `$${(nano / 1e9).toFixed(4)}`.padStart(12);
}

function line(name: string, call: number, cost: number, spent: number): string {
  return `${name.padEnd(7)}  ${String(call).padStart(5)}  ${dollars(cost)}  ${dollars(spent)}`;
}
