import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

/** How a process ended, and what it said until then. */
export interface Ended<Message> {
  readonly code: number | null;
  readonly signal: string | null;
  readonly messages: readonly Message[];
}

export interface Running<Message> {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended<Message>>;
}

/** Starts a worker of this folder as a process of its own, which is gone after the test. */
export function startWorker<Message>(file: string, ...args: readonly string[]): Running<Message> {
  const script = fileURLToPath(new URL(file, import.meta.url));
  // The options of the test runner are not for them.
  const child = fork(script, args, {
    execArgv: [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const messages: Message[] = [];
  child.on('message', (message) => messages.push(message as Message));
  const ended = new Promise<Ended<Message>>((done) => {
    child.on('close', (code, signal) => done({ code, signal, messages }));
  });
  return { child, ended };
}
