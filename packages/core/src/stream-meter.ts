import { TokenMeter } from './token-meter.ts';
import { isCount } from './usage.ts';

/** What a streamed chunk adds. */
export interface MeterDelta {
  /** Text the model produced: visible, reasoning, or tool arguments. */
  readonly text?: string;
  /** Output tokens, where the provider says how many the chunk has. */
  readonly tokens?: number;
}

// On scripts that a tokenizer packs densely, the estimate is up to 8.4 times the real count.
const LARGEST_OVERESTIMATE = 10;

/**
 * Counts the output tokens of a stream two ways: `estimated`, which rather errs upwards and is what
 * an unreported stream is charged, and `certain`, which the stream has produced in any case.
 */
export class StreamMeter {
  readonly #text: TokenMeter = new TokenMeter();
  /** Chunks of text, and tokens the provider counted. */
  #counted = 0;
  #countedTokens = 0;
  #reported = 0;
  /** Nothing has come since the last report. */
  #isUpToDate = false;

  add(delta: MeterDelta): void {
    const { text, tokens } = delta;
    this.#isUpToDate = false;
    if (tokens !== undefined && isCount(tokens)) {
      this.#countedTokens += tokens;
      this.#counted += tokens;
    } else if (text !== undefined && text.length > 0) {
      this.#text.push(text);
      this.#counted += 1;
    }
  }

  /** The provider's own running total. */
  report(outputTokens: number): void {
    if (!isCount(outputTokens) || outputTokens === 0) return;
    this.#isUpToDate = true;
    if (outputTokens > this.#reported) this.#reported = outputTokens;
  }

  /** The provider has told what it bills for all that has come so far, hidden reasoning included. */
  get isReported(): boolean {
    return this.#isUpToDate && this.#reported === this.certain;
  }

  get estimated(): number {
    return Math.max(this.#countedTokens + this.#text.tokens, this.#counted, this.#reported);
  }

  /** A chunk has at least a token, and a text at least a tenth of its estimate. */
  get certain(): number {
    const fromText = this.#countedTokens + Math.floor(this.#text.tokens / LARGEST_OVERESTIMATE);
    return Math.max(this.#counted, this.#reported, fromText);
  }
}
