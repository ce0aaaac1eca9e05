import type { ModelPrice } from '@pydantic/genai-prices';

const GEMINI = /^google\/gemini-(?!embedding)(?:\D*(\d+))?/;
const FIRST_BILLED_BY_QUERY = 3;

/**
 * What the table leaves out, in its own terms: USD for a thousand pieces. Google takes $14 for a
 * thousand queries of grounding from Gemini 3 on, and $35 for a thousand grounded calls before.
 */
export function knownFees(key: string): ModelPrice {
  const found = GEMINI.exec(key);
  if (found === null) return {};
  const version = Number(found[1] ?? 0);
  return { web_searches_kcount: version >= FIRST_BILLED_BY_QUERY ? 14 : 35 };
}
