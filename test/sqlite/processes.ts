import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

/** A file for a store, in a folder that is gone after the test. */
export function storeFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'hardcap-processes-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'usage.db');
}

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

/** Starts a worker of this folder as a process of its own, which is gone after the test. */
export function start<Message>(worker: string, ...args: readonly string[]): Running<Message> {
  const script = fileURLToPath(new URL(worker, import.meta.url));
  // The options of the test runner are not for them.
  const child = fork(script, args, {
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
    });
    child.on('close', (code, signal) => done({ code, signal, messages, stderr }));
  });
  return { child, ended };
}
