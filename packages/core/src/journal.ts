import { type BackgroundTimer, setBackgroundTimer } from './background-timer.ts';
import type { EndingSink, EndRequest } from './end-request.ts';
import { checkedAnswer, type EndingAnswer } from './ending-answer.ts';
import type { EventPort } from './event.ts';
import { type JournalContent, type JournalFile, openJournalFile } from './journal-file.ts';
import type { ReleaseAnswer, SettleAnswer, SettleRequest } from './usage-sink.ts';

/** So many answers are marked with one write, or those of so long a time. A lost mark costs a repetition. */
const MARKS_IN_A_ROW = 64;
const MARK_AFTER_MS = 1_000;
/** From this size on, a journal is written anew without what has been answered. */
const COMPACT_BYTES = 4_000_000;

/**
 * Writes what ends a reservation into a file before a sink is told, and marks there what the sink
 * has answered. What has no mark when a process dies is told again by the next.
 */
export class Journal implements EndingSink {
  #sink: EndingSink;
  readonly #events: EventPort;
  readonly #file: JournalFile;
  readonly #open: Map<string, EndRequest> = new Map();
  #answered: string[] = [];
  #timer: BackgroundTimer | null = null;
  #isClosed = false;
  readonly #compactBytes: number;
  #compactAt: number;

  /** @param compactBytes the size from which on the file is written anew */
  constructor(
    sink: EndingSink,
    events: EventPort,
    { file, content }: { readonly file: JournalFile; readonly content: JournalContent },
    compactBytes: number = COMPACT_BYTES,
  ) {
    this.#sink = sink;
    this.#events = events;
    this.#file = file;
    this.#compactBytes = compactBytes;
    this.#compactAt = Math.max(file.bytes * 2, compactBytes);
    for (const request of content.open) this.#open.set(request.id, request);
  }

  /** What the file keeps, in its order: nobody has answered it. */
  get open(): readonly EndRequest[] {
    return [...this.#open.values()];
  }

  /** Tells another sink from here on. */
  through(sink: EndingSink): void {
    this.#sink = sink;
  }

  has(id: string): boolean {
    return this.#open.has(id);
  }

  async settle(request: SettleRequest): Promise<SettleAnswer> {
    this.#write(request);
    return this.#heard(request.id, await this.#sink.settle(request));
  }

  async release(id: string): Promise<ReleaseAnswer> {
    this.#write({ id, charges: [] });
    return this.#heard(id, await this.#sink.release(id));
  }

  /** Marks what is left to be marked, and gives the file back. Later settlements are not kept. */
  close(): void {
    if (this.#isClosed) return;
    this.#mark();
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#file.close();
  }

  #write(send: EndRequest): void {
    // It is there already when it is sent again.
    if (this.#open.has(send.id)) return;
    try {
      if (this.#isClosed) throw new Error('the journal is closed');
      this.#file.append({ send });
      this.#open.set(send.id, send);
    } catch (error) {
      // The sink is told all the same: it takes most settlements at the first attempt.
      this.#events.emit({ type: 'journal-failed', path: this.#file.path, id: send.id, error });
    }
  }

  /** @throws Error for an answer that is none, which leaves the settlement in the journal. */
  #heard<Answer extends EndingAnswer>(id: string, answer: Answer): Answer {
    checkedAnswer(answer);
    if (!this.#open.delete(id) || this.#isClosed) return answer;
    this.#answered.push(id);
    if (this.#answered.length >= MARKS_IN_A_ROW) this.#mark();
    else if (this.#timer === null) this.#markLater();
    return answer;
  }

  #markLater(): void {
    this.#timer = setBackgroundTimer(() => {
      this.#timer = null;
      this.#mark();
    }, MARK_AFTER_MS);
  }

  #mark(): void {
    if (this.#isClosed || this.#answered.length === 0) return;
    const answered = this.#answered;
    this.#answered = [];
    try {
      if (this.#file.bytes < this.#compactAt) this.#file.append({ answered });
      else this.#compact();
    } catch (error) {
      // What goes unmarked is told again after a restart, and changes nothing then.
      this.#events.emit({ type: 'journal-failed', path: this.#file.path, error });
    }
  }

  /** Leaves the answered out. Where that makes nothing smaller, or fails, it waits for twice the size. */
  #compact(): void {
    this.#compactAt = this.#file.bytes * 2;
    this.#file.rewrite(this.#open.values());
    this.#compactAt = Math.max(this.#file.bytes * 2, this.#compactBytes);
  }
}

/**
 * A journal at this path.
 *
 * @throws ConfigError where it cannot be used.
 */
export function openJournal(path: string, sink: EndingSink, events: EventPort): Journal {
  const opened = openJournalFile(path);
  const { open, damagedLines } = opened.content;
  const { path: at } = opened.file;
  if (damagedLines > 0) {
    events.emit({
      type: 'journal-damaged',
      path: at,
      lines: damagedLines,
      keptIn: `${at}.damaged`,
    });
  }
  if (open.length > 0)
    events.emit({ type: 'journal-replayed', path: at, settlements: open.length });
  return new Journal(sink, events, opened);
}
