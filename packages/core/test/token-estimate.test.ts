import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { balancedTokens, strictTokenBound } from '../src/token-estimate.ts';
import { TokenMeter } from '../src/token-meter.ts';

const encoder = new TextEncoder();
const utf8 = (text: string) => encoder.encode(text).length;

/** The definition, without shortcuts: lone surrogates are encoded as U+FFFD, 3 bytes. */
const bound = (text: string) =>
  Math.max(...[text, text.normalize('NFC'), text.normalize('NFKC')].map(utf8)) + 1;

/** Any UTF-16, lone surrogates too, and the characters that normalisation lets grow or reorder. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.string({ unit: 'grapheme' }),
  fc.string(),
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 100 })
    .map((units) => String.fromCharCode(...units)),
  fc
    .array(
      fc.constantFrom('a', 'Ǘ', '\u0323', '\u0344', '\u0958', 'ﷺ', '\u{1d160}', '가', '\u11a8'),
    )
    .map((pieces) => pieces.join('')),
);

describe('strictTokenBound', () => {
  test('is the largest of the bytes as given, as NFC and as NFKC, and one', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(strictTokenBound(text)).toBe(bound(text));
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    ['', 1],
    ['hello', 6],
    ['é', 3],
    ['\ud800', 4],
    ['\udc00\ud800', 7],
    ['😀', 5],
    // NFC makes two characters of one: 300 bytes of 200 (Qwen 3).
    ['\u{1d160}'.repeat(50), 601],
    ['\u0344', 5],
    ['\u09dd', 7],
    // NFKC writes the phrase out: 18 characters, 33 bytes of 3 (Claude 2).
    ['\ufdfa'.repeat(50), 50 * 33 + 1],
  ])('of %j', (text, tokens) => {
    expect(strictTokenBound(text)).toBe(tokens);
  });

  test('of two pieces is at least that of the whole, where the second starts a character', () => {
    fc.assert(
      fc.property(anyText, anyText, (one, two) => {
        const whole = strictTokenBound(`${one} ${two}`);
        expect(whole).toBeLessThanOrEqual(strictTokenBound(one) + strictTokenBound(` ${two}`));
      }),
      { numRuns: 2_000 },
    );
  });

  test('normalises marks out of order, which takes quadratic time, in short pieces only', () => {
    const text = `a${'\u0301\u0323'.repeat(10_000)}`;
    const normalize = vi.spyOn(String.prototype, 'normalize');
    const bound = strictTokenBound(text);
    const longest = Math.max(...normalize.mock.contexts.map((piece) => String(piece).length));
    normalize.mockRestore();
    expect(bound).toBeGreaterThan(utf8(text));
    expect(longest).toBeLessThan(1_000);
  });

  test('cut into pieces is no smaller', () => {
    const marks = fc.array(fc.constantFrom('\u0301', '\u0323', '\u0344', '\uff9e', 'Ǘ', 'a'), {
      minLength: 600,
      maxLength: 1_200,
    });
    fc.assert(
      fc.property(marks, (units) => {
        const text = units.join('') + '\u0323'.repeat(31);
        expect(strictTokenBound(text)).toBeGreaterThanOrEqual(bound(text));
      }),
      { numRuns: 50 },
    );
  });
});

describe('balancedTokens', () => {
  test('never exceeds the strict bound', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(balancedTokens(text)).toBeLessThanOrEqual(strictTokenBound(text));
      }),
      { numRuns: 2_000 },
    );
  });

  test('counts the space before a number as a token of its own, but no other single space', () => {
    const [joined, apart] = ['n1', 'n 1'].map(balancedTokens) as [number, number];
    expect(apart).toBe(joined + 1);
    expect(balancedTokens('an ox')).toBe(balancedTokens('an') + balancedTokens('ox'));
  });

  test('is 0 for nothing and at least 1 for something', () => {
    expect(balancedTokens('')).toBe(0);
    fc.assert(
      fc.property(anyText, (text) => {
        fc.pre(text.trim() !== '');
        expect(balancedTokens(text)).toBeGreaterThanOrEqual(1);
      }),
    );
  });

  // The tokens are those of o200k_base, counted with gpt-tokenizer 4 in November 2026.
  test.each([
    ['English', 'The quick brown fox jumps over the lazy dog, and nobody minds.', 14],
    ['code', 'export const total = items.reduce((sum, item) => sum + item.price, 0);', 20],
    ['JSON', '{"id":1042,"name":"Ada","tags":["a","b"],"active":true}', 21],
    ['numbers', '3.14159, 2.71828, 1.41421', 16],
    ['Chinese', '先控制支出，然后再考虑扩大团队。', 10],
    ['base64', 'aGVsbG8gd29ybGQgdGhpcyBpcyBhIHRlc3Q', 22],
  ])('%s costs no less than it does', (_, text, tokens) => {
    expect(balancedTokens(text)).toBeGreaterThanOrEqual(tokens);
    expect(balancedTokens(text)).toBeLessThanOrEqual(3 * tokens);
  });
});

describe('TokenMeter', () => {
  const pieces = fc.array(anyText, { maxLength: 20 });

  test('gives for the pieces what the whole text gives, and never falls', () => {
    fc.assert(
      fc.property(pieces, (deltas) => {
        const meter = new TokenMeter();
        let before = 0;
        for (const delta of deltas) {
          const now = meter.push(delta);
          expect(now).toBeGreaterThanOrEqual(before);
          before = now;
        }
        expect(meter.tokens).toBe(balancedTokens(deltas.join('')));
      }),
      { numRuns: 1_000 },
    );
  });

  test('joins a pair of surrogates that came in two pieces', () => {
    const meter = new TokenMeter();
    expect([meter.push('\ud83d'), meter.push('\ude00')]).toEqual([3, 4]);
  });

  test('a word that comes in pieces is one word', () => {
    const meter = new TokenMeter();
    for (const delta of ['He', 'llo', ' wor', 'ld']) meter.push(delta);
    expect(meter.tokens).toBe(balancedTokens('Hello world'));
  });

  test('scaled, it is still no more than the bytes', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const scaled = new TokenMeter(1.35).push(text);
        expect(scaled).toBeGreaterThanOrEqual(balancedTokens(text));
        expect(scaled).toBeLessThanOrEqual(utf8(text));
      }),
    );
  });
});
