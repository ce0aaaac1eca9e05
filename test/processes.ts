import { type ChildProcess, fork } from 'node:child_process';
import { onTestFinished } from 'vitest';

/** How a process ended, and what it said until then. */
export interface Ended<Message> {
  readonly code: number | null;
  readonly signal: string | null;
  readonly messages: readonly Message[];
  /** What it complained of. */
  readonly stderr: string;
}

export interface Running<Message> {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended<Message>>;
}

/** Starts a worker as a process of its own, which is gone after the test. */
export function start<Message>(worker: URL, ...args: readonly string[]): Running<Message> {
  // The options of the test runner are not for them.
  const child = fork(worker, args, {
    execArgv: [],
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const messages: Message[] = [];
  child.on('message', (message) => messages.push(message as Message));
  const ended = new Promise<Ended<Message>>((done) => {
    let stderr = '';
    child.stderr?.setEncoding('utf8').on('data', (text) => {
      stderr += text;
      process.stderr.write(text);
    });
    child.on('close', (code, signal) => done({ code, signal, messages, stderr }));
  });
  return { child, ended };
}
