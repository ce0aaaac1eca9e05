import type { EndRequest } from './end-request.ts';
import { ConfigError } from './errors.ts';
import { takeJournalLock } from './journal-lock.ts';
import {
  JOURNAL_HEADER,
  type JournalRecord,
  journalLine,
  journalVersion,
  parseJournalLine,
} from './journal-record.ts';
import {
  type NodeRuntime,
  nodeRuntime,
  readIfThere,
  systemCode,
  writeDurably,
  writeWhole,
} from './node-runtime.ts';

/** What was found in a journal when it was opened. */
export interface JournalContent {
  /** What was never answered, in its order. */
  readonly open: readonly EndRequest[];
  /** Lines that say nothing; they are kept in a file beside. */
  readonly damagedLines: number;
}

const encoder = new TextEncoder();

/** An append-only file that one process owns, as {@link openJournalFile} makes it. */
export class JournalFile {
  readonly path: string;
  readonly #node: NodeRuntime;
  readonly #unlock: () => void;
  #file: number;
  #bytes = 0;
  /** The last write left a part behind that could not be removed. */
  #isTorn = false;
  /** False once a part was left behind: `bytes` is not the length of the file any more. */
  #canCut = true;

  constructor(node: NodeRuntime, path: string, unlock: () => void, open: readonly EndRequest[]) {
    this.path = path;
    this.#node = node;
    this.#unlock = unlock;
    this.#file = -1;
    this.rewrite(open);
  }

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Writes a line in one call: it survives the end of the process from here on. A power cut may take
   * the latest lines away.
   *
   * @throws where the line could not be written; what was written of it is gone again, or is a line
   * of its own.
   */
  append(record: JournalRecord): void {
    const bytes = encoder.encode(`${this.#isTorn ? '\n' : ''}${journalLine(record)}`);
    const { files } = this.#node;
    try {
      writeWhole(files, this.#file, bytes);
      this.#bytes += bytes.length;
      this.#isTorn = false;
    } catch (error) {
      this.#cutBack();
      throw error;
    }
  }

  /**
   * Puts a file in its place that has these alone. Whenever the process dies, one of both is there.
   *
   * @throws where it could not be written; then the old one stays in use.
   */
  rewrite(open: Iterable<EndRequest>): void {
    const { files } = this.#node;
    const draft = `${this.path}.new`;
    const lines = Array.from(open, (send) => journalLine({ send }));
    const text = JOURNAL_HEADER + lines.join('');
    writeDurably(files, draft, 'w', text);
    const file = files.openSync(draft, 'a');
    try {
      files.renameSync(draft, this.path);
    } catch (error) {
      files.closeSync(file);
      throw error;
    }
    if (this.#file !== -1) files.closeSync(this.#file);
    this.#file = file;
    this.#bytes = encoder.encode(text).length;
    this.#isTorn = false;
    this.#canCut = true;
  }

  close(): void {
    this.#node.files.closeSync(this.#file);
    this.#unlock();
  }

  #cutBack(): void {
    try {
      if (this.#canCut) this.#node.files.ftruncateSync(this.#file, this.#bytes);
      else this.#isTorn = true;
    } catch {
      this.#isTorn = true;
      this.#canCut = false;
    }
  }
}

/**
 * Takes a journal for this process, and reads what an earlier one left in it. Nothing that cannot be
 * understood is thrown away.
 *
 * @throws ConfigError where there are no files, where the path cannot be one or is no journal, and
 * where another process has it.
 */
export function openJournalFile(asked: string): { file: JournalFile; content: JournalContent } {
  const node = nodeRuntime();
  if (node === undefined) {
    throw new ConfigError(
      'journal: this runtime has no files that hardcap can write; it needs Node. ' +
        'Leave the option out: settlements are then kept in memory until the sink answers.',
    );
  }
  try {
    const path = realPath(node, asked);
    const unlock = takeJournalLock(node, path);
    try {
      const text = readIfThere(node.files, path) ?? '';
      const { open, damaged } = understand(path, text);
      if (damaged.length > 0) {
        writeDurably(node.files, `${path}.damaged`, 'a', `${damaged.join('\n')}\n`);
      }
      const file = new JournalFile(node, path, unlock, open);
      return { file, content: { open, damagedLines: damaged.length } };
    } catch (error) {
      unlock();
      throw error;
    }
  } catch (error) {
    if (ConfigError.isInstance(error)) throw error;
    const code = systemCode(error) ?? '';
    const advice = ADVICE[code] ?? 'Name a file that this process can read and write.';
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError(`journal: "${asked}" cannot be used: ${reason}. ${advice}`, {
      cause: error,
    });
  }
}

const ADVICE: Readonly<Record<string, string>> = {
  ENOENT: 'Make its folder first.',
  ENOTDIR: 'A part of the path is a file; name a file in a folder.',
};

function realPath({ files }: NodeRuntime, path: string): string {
  try {
    if (!files.statSync(path).isFile()) {
      throw new ConfigError(`journal: "${path}" is no file. Name a file; it is made if need be.`);
    }
    return files.realpathSync(path);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return path;
    throw error;
  }
}

function understand(path: string, text: string): { open: EndRequest[]; damaged: string[] } {
  const version = journalVersion(text);
  if (version === 'none') return { open: [], damaged: [] };
  if (version === 'foreign') {
    throw new ConfigError(`journal: "${path}" is a file of something else, and was left alone.`);
  }
  if (version !== 1) {
    throw new ConfigError(
      `journal: "${path}" has version ${version}, and this hardcap reads version 1. ` +
        'Start the hardcap that wrote it to empty it, or name another file. It was left alone.',
    );
  }
  const open = new Map<string, EndRequest>();
  const damaged: string[] = [];
  // A last line without an end may be whole all the same.
  for (const line of text.split('\n').slice(1)) {
    const record = parseJournalLine(line);
    if (record === undefined) {
      if (line !== '') damaged.push(line);
    } else if ('send' in record) open.set(record.send.id, record.send);
    else for (const id of record.answered) open.delete(id);
  }
  return { open: [...open.values()], damaged };
}
