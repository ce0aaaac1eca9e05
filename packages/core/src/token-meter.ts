const OTHER = 0;
const SPACE = 1;
const LINE_END = 2;
const TAB = 3;
const DIGIT = 4;
const UPPER = 5;
const LOWER = 6;
const MARK = 7;

const VOWEL_BIT = 8;

/** What each ASCII character is; control characters are OTHER. */
const ASCII_KINDS: Uint8Array = /* @__PURE__ */ Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (character === ' ') return SPACE;
  if (character === '\n' || character === '\r') return LINE_END;
  if (character === '\t') return TAB;
  if (/[0-9]/.test(character)) return DIGIT;
  if (/[A-Z]/.test(character)) return UPPER;
  if (/[a-z]/.test(character)) return /[aeiouy]/.test(character) ? LOWER | VOWEL_BIT : LOWER;
  return code > 32 && code < 127 ? MARK : OTHER;
});

/**
 * A running estimate of the tokens of a text that arrives in pieces, however it is cut: the pieces
 * give what the whole text gives, and the count never falls. It allocates nothing.
 *
 * Each character has a weight in hundredths of a token by its class and the run it is in: a word
 * is one token up to three letters and 0.2, then 0.4 for each further one, a digit is one, a hanzi
 * 1.75. Fitted in November 2026 to 50 texts in o200k, cl100k and Llama 3: 1.4 to 1.5 times o200k
 * for English, 1.5 to 1.9 for code, 1.5 to 2.1 for JSON, 2 to 5 for most other scripts. It is no
 * bound: Swahili, which cl100k and Llama 3 hardly know, costs them 1.35 times the estimate, random
 * characters up to 1.2 times.
 *
 * No character weighs more than its UTF-8 bytes, so the estimate is at most the bytes of the text.
 */
export class TokenMeter {
  readonly #scale: number;
  #hundredths = 0;
  #bytes = 0;
  #kind: number = OTHER;
  #run = 0;
  #code = 0;
  #consonants = 0;

  /**
   * @param scale factor on the estimate, for a tokenizer that is known to make more tokens.
   * @default 1
   */
  constructor(scale = 1) {
    this.#scale = scale;
  }

  /** The estimate so far: a whole number, at most the UTF-8 bytes. */
  get tokens(): number {
    return Math.min(Math.ceil((this.#hundredths * this.#scale) / 100), this.#bytes);
  }

  /** Adds a piece of the text; returns the estimate so far. */
  push(text: string): number {
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      this.#hundredths += code < 128 ? this.#asciiWeight(code) : this.#otherWeight(code);
      this.#code = code;
    }
    return this.tokens;
  }

  #asciiWeight(code: number): number {
    const entry = ASCII_KINDS[code] as number;
    const kind = entry & ~VOWEL_BIT;
    const before = this.#kind;
    const run = this.#run;
    const goesOn = kind === before || (kind === LOWER && before === UPPER && run === 1);
    this.#bytes += 1;
    this.#kind = kind;
    this.#run = goesOn ? run + 1 : 1;
    if (kind === LOWER) {
      if (entry !== kind) this.#consonants = 0;
      else this.#consonants = before === LOWER ? this.#consonants + 1 : 1;
      return letterWeight(this.#run, this.#consonants);
    }
    // A number is a token of digits only: a single space before it is its own.
    if (kind === DIGIT) return before === SPACE && run === 1 ? 200 : 100;
    return goesOn ? nextWeight(kind, run, code === this.#code) : firstWeight(kind);
  }

  #otherWeight(code: number): number {
    this.#kind = OTHER;
    this.#run = 0;
    const before = this.#code;
    if (code >= 0xdc00 && code < 0xe000 && before >= 0xd800 && before < 0xdc00) {
      // The first half was counted as if it stood alone: 3 bytes of the 4 that the pair has.
      this.#bytes += 1;
      return 100;
    }
    this.#bytes += code < 0x800 ? 2 : 3;
    return weightBeyondAscii(code);
  }
}

/** Weight of a small letter, given its place in the word and the consonants in a row up to it. */
function letterWeight(place: number, consonants: number): number {
  // Words are not that long, and three consonants in a row are rare but in random letters.
  const weight = place === 1 ? 100 : place <= 3 ? 0 : place <= 5 ? 20 : place <= 20 ? 40 : 60;
  return consonants > 2 ? Math.min(100, weight + 60) : weight;
}

/** Weight of a character, other than a small letter or digit, that starts a run of its kind. */
function firstWeight(kind: number): number {
  // A single space is part of the word after it.
  return kind === SPACE ? 0 : 100;
}

/** Weight of one that goes on with a run of its kind. */
function nextWeight(kind: number, run: number, repeats: boolean): number {
  if (kind === UPPER) return run === 1 ? 80 : 60;
  if (kind === SPACE) return run === 1 ? 100 : 5;
  if (kind === LINE_END || kind === TAB) return 20;
  if (kind === MARK) return repeats ? 50 : 90;
  return 100;
}

/** Weight of a UTF-16 code unit beyond ASCII, no half of a pair that is complete. */
function weightBeyondAscii(code: number): number {
  if (code >= 0x4e00) {
    if (code < 0xa000) return 175; // hanzi
    if (code >= 0xac00 && code < 0xd7a4) return 190; // hangul
    return code >= 0xff00 && code < 0xff66 ? 150 : 300; // full width; everything else
  }
  if (code < 0x370) {
    if (code < 0xa0) return 200;
    if (code < 0x100) return 110; // Latin-1
    return code < 0x250 ? 175 : 200; // extended Latin; accents that stand apart
  }
  if (code < 0x900) {
    if (code < 0x400) return 115; // Greek
    if (code < 0x530) return 75; // Cyrillic
    if (code >= 0x590 && code < 0x700) return code < 0x600 ? 130 : 100; // Hebrew, Arabic
    return code < 0x800 ? 200 : 300;
  }
  if (code < 0xf00) return 160; // Indic, Thai, Lao
  if (code < 0x2070) {
    if (code >= 0x2000) return 150; // typographic punctuation
    return code >= 0x1e00 && code < 0x1f00 ? 160 : 300; // Vietnamese
  }
  if (code >= 0x2500 && code < 0x2600) return 200; // boxes and blocks
  return code >= 0x3000 && code < 0x3100 ? 120 : 300; // kana and its punctuation
}
