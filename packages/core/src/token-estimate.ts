import { TokenMeter } from './token-meter.ts';

/** Tokens of a text by the classes of its characters: see {@link TokenMeter}. */
export function balancedTokens(text: string): number {
  return new TokenMeter().push(text);
}

/**
 * A ceiling of the tokens of one piece of text: the most UTF-8 bytes that it, its NFC or its NFKC
 * form has, and 1 for the space that some tokenizers put in front.
 *
 * Byte-level and byte-fallback tokenizers make no token of less than a byte, of the text as their
 * normaliser leaves it: none for o200k, cl100k, Llama, DeepSeek and Gemma, NFC for Qwen, NFKC for
 * Claude 2. Newer Claude models publish no vocabulary, so for them it is a practical bound.
 * A lone surrogate is sent as U+FFFD and counts 3 bytes.
 */
export function strictTokenBound(text: string): number {
  if (!/[^\0-\x7f]/.test(text)) return text.length + 1;
  // Normalising takes quadratic time in a run of combining marks. In no language has one more than
  // a few; beyond Unicode's stream-safe 30, pieces bound the work.
  const most = /[\p{M}\uff9e\uff9f]{31}/u.test(text) ? bytesInPieces(text) : normalisedBytes(text);
  return most + 1;
}

const PIECE_UNITS = 512;

/** What reordering and composing across a cut could add, with room to spare. */
const CUT_BYTES = 16;

function bytesInPieces(text: string): number {
  let bytes = 0;
  for (let start = 0; start < text.length; start += PIECE_UNITS) {
    bytes += normalisedBytes(text.slice(start, start + PIECE_UNITS)) + CUT_BYTES;
  }
  return bytes;
}

function normalisedBytes(text: string): number {
  return Math.max(
    utf8Bytes(text),
    utf8Bytes(text.normalize('NFC')),
    utf8Bytes(text.normalize('NFKC')),
  );
}

function utf8Bytes(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < 0x80) continue;
    bytes += code < 0x800 ? 1 : 2;
    if (code >= 0xd800 && code < 0xdc00) {
      const next = text.charCodeAt(index + 1);
      // A pair is 4 bytes in 2 units.
      if (next >= 0xdc00 && next < 0xe000) index++;
    }
  }
  return bytes;
}
