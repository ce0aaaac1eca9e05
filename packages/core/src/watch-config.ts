/** For Node: configuration files that are put in force as they change. */
import { type BackgroundTimer, setBackgroundTimer } from './background-timer.ts';
import { ConfigError } from './errors.ts';
import type { GuardConfig } from './guard-config.ts';
import type { SpendGuardTerms } from './guard-options.ts';
import { type LoadConfigOptions, loadConfig } from './load-config.ts';
import type { PriceBook } from './price-book.ts';
import type { PriceConfig } from './price-config.ts';

/** What is reconfigured: a guard. */
export interface Reconfigurable {
  reconfigure(terms: SpendGuardTerms): Promise<void>;
}

/** Options of {@link watchConfig}. */
export interface WatchConfigOptions extends Omit<LoadConfigOptions, 'file'> {
  /** Makes the price book of what a file says of prices; `createPriceBook` of `@hardcap/prices`. */
  readonly prices?: (prices: PriceConfig | undefined) => PriceBook;
  /** How often the file is read, in ms. @default 1_000 */
  readonly intervalMs?: number;
  /** Called with each configuration once it is in force. */
  readonly onReload?: (config: GuardConfig) => void;
  /**
   * Called once with what is wrong with a file, while the guard goes on as it was; and with what `onReload`
   * throws.
   *
   * @default console.error
   */
  readonly onError?: (error: unknown) => void;
}

/** See {@link watchConfig}. */
export interface ConfigWatcher {
  /** Reads no more; a configuration that is being put in force still is. */
  close(): void;
}

interface NodeFiles {
  readFile(path: string, encoding: 'utf8'): Promise<string>;
}

const MIN_INTERVAL_MS = 10;
const MAX_INTERVAL_MS = 86_400_000;

/**
 * Puts a configuration file in force, and again whenever it changes. The file is read at an interval,
 * which works for files that are replaced, linked to, mounted, or on another machine; it counts once two
 * readings are the same, so that a file that is being written is left alone. A file that is not there or
 * not valid changes nothing. Does not keep the process alive.
 *
 * @param path relative to the working directory.
 * @throws ConfigError where the runtime is not Node, and for an interval that is none.
 */
export function watchConfig(
  path: string,
  guard: Reconfigurable,
  options: WatchConfigOptions = {},
): ConfigWatcher {
  const { intervalMs = 1_000 } = options;
  if (!(intervalMs >= MIN_INTERVAL_MS && intervalMs <= MAX_INTERVAL_MS)) {
    throw new ConfigError(
      `intervalMs: write milliseconds from ${MIN_INTERVAL_MS} to ${MAX_INTERVAL_MS}, not ${intervalMs}.`,
    );
  }
  const watcher = new FileWatcher(path, guard, options, nodeFiles());
  watcher.start(intervalMs);
  return { close: () => watcher.stop() };
}

class FileWatcher {
  readonly #path: string;
  readonly #guard: Reconfigurable;
  readonly #options: WatchConfigOptions;
  readonly #files: NodeFiles;
  #timer: BackgroundTimer | undefined;
  #closed = false;
  /** What was read last; the message, where it could not be. */
  #seen: string | undefined;
  /** What was last put in force, or found to be wrong. */
  #judged: string | undefined;

  constructor(path: string, guard: Reconfigurable, options: WatchConfigOptions, files: NodeFiles) {
    this.#path = path;
    this.#guard = guard;
    this.#options = options;
    this.#files = files;
  }

  start(intervalMs: number): void {
    const next = async (): Promise<void> => {
      await this.#look();
      if (this.#closed) return;
      this.#timer = setBackgroundTimer(next, intervalMs);
    };
    void next();
  }

  stop(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  async #look(): Promise<void> {
    let text: string | undefined;
    let failure: unknown;
    try {
      text = await this.#files.readFile(this.#path, 'utf8');
    } catch (error) {
      failure = error;
    }
    const seen = text === undefined ? `! ${String(failure)}` : `= ${text}`;
    const isSettled = seen === this.#seen;
    this.#seen = seen;
    if (this.#closed || !isSettled || seen === this.#judged) return;
    this.#judged = seen;
    if (text === undefined) this.#report(failure);
    else await this.#apply(text);
  }

  async #apply(text: string): Promise<void> {
    const { environment, prices: bookOf, onReload } = this.#options;
    try {
      const known = environment === undefined ? {} : { environment };
      const config = loadConfig(text, { ...known, file: this.#path });
      const { prices, ...terms } = config;
      // Without a maker of books, prices are left for the guard to refuse.
      const book = bookOf === undefined ? prices : bookOf(prices);
      await this.#guard.reconfigure({
        ...terms,
        ...(book === undefined ? {} : { prices: book as PriceBook }),
      });
      onReload?.(config);
    } catch (error) {
      this.#report(error);
    }
  }

  #report(error: unknown): void {
    const { onError = (failure) => console.error('hardcap:', failure) } = this.#options;
    try {
      onError(error);
    } catch (thrown) {
      console.error('hardcap: onError threw', thrown);
    }
  }
}

function nodeFiles(): NodeFiles {
  const runtime = globalThis as {
    process?: { getBuiltinModule?: (id: string) => NodeFiles | undefined };
  };
  const files = runtime.process?.getBuiltinModule?.('node:fs/promises');
  if (files !== undefined) return files;
  throw new ConfigError('watchConfig reads files, which only Node can. Use guard.reconfigure().');
}
