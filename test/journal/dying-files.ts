import fs from 'node:fs';

type Operation = (...args: never[]) => unknown;

/** The operations by which a journal changes what is on the disk. */
const CHANGES = [
  'openSync',
  'fsyncSync',
  'linkSync',
  'renameSync',
  'unlinkSync',
  'closeSync',
] as const;

let left = Number.POSITIVE_INFINITY;

function die(): never {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('killed');
}

/** Kills this process with -9 at a change of a file that is counted down to; a write may be half done. */
export function dieAtChange(after: number, written: 'nothing' | 'half' | 'all'): void {
  left = after;
  const { writeSync } = fs;
  fs.writeSync = ((file: number, bytes: Uint8Array) => {
    left -= 1;
    if (left >= 0) return writeSync(file, bytes);
    if (written === 'half') writeSync(file, bytes.subarray(0, bytes.length / 2));
    if (written === 'all') writeSync(file, bytes);
    return die();
  }) as typeof fs.writeSync;
  for (const name of CHANGES) {
    const operation = fs[name] as Operation;
    const counted: Operation = (...args) => {
      left -= 1;
      return left >= 0 ? operation(...args) : die();
    };
    Object.assign(fs, { [name]: counted });
  }
}
