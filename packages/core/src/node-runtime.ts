/** The part of `node:fs` that a journal needs. Errors have a `code`, such as `ENOENT`. */
export interface NodeFiles {
  openSync(path: string, flags: string, mode?: number): number;
  closeSync(file: number): void;
  writeSync(file: number, bytes: Uint8Array): number;
  fsyncSync(file: number): void;
  ftruncateSync(file: number, length: number): void;
  readFileSync(path: string, encoding: 'utf8'): string;
  statSync(path: string): { isFile(): boolean };
  realpathSync(path: string): string;
  linkSync(from: string, to: string): void;
  renameSync(from: string, to: string): void;
  unlinkSync(path: string): void;
}

/** What a journal needs of Node. */
export interface NodeRuntime {
  readonly files: NodeFiles;
  readonly host: string;
  readonly pid: number;
  /** @throws an error with the code `ESRCH` where there is no such process. */
  kill(pid: number, signal: 0): void;
}

interface NodeProcess {
  readonly pid: number;
  kill(pid: number, signal: 0): void;
  getBuiltinModule?(id: 'node:fs'): NodeFiles | undefined;
  getBuiltinModule?(id: 'node:os'): { hostname(): string } | undefined;
}

/** Node, reached without an import, which edge bundlers refuse. Undefined on any other runtime. */
export function nodeRuntime(): NodeRuntime | undefined {
  const { process } = globalThis as { process?: NodeProcess };
  const files = process?.getBuiltinModule?.('node:fs');
  const system = process?.getBuiltinModule?.('node:os');
  if (process === undefined || files === undefined || system === undefined) return undefined;
  const kill = (pid: number, signal: 0) => process.kill(pid, signal);
  return { files, host: system.hostname(), pid: process.pid, kill };
}

/** The code of a system error, such as `EACCES`; undefined for any other error. */
export function systemCode(error: unknown): string | undefined {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : undefined;
}

/** The text of a file; undefined where there is none. */
export function readIfThere(files: NodeFiles, path: string): string | undefined {
  try {
    return files.readFileSync(path, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Writes a whole file anew, or at the end of what it has, and waits until it is on the disk. */
export function writeDurably(
  files: NodeFiles,
  path: string,
  flags: 'w' | 'wx' | 'a',
  text: string,
): void {
  const file = files.openSync(path, flags, 0o600);
  try {
    writeWhole(files, file, new TextEncoder().encode(text));
    files.fsyncSync(file);
  } finally {
    files.closeSync(file);
  }
}

/** @throws Error where the disk took only a part, as when it is full. */
export function writeWhole(files: NodeFiles, file: number, bytes: Uint8Array): void {
  const written = files.writeSync(file, bytes);
  if (written < bytes.length) {
    throw new Error(`only ${written} of ${bytes.length} bytes could be written: the disk is full`);
  }
}
