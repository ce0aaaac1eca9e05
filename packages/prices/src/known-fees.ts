import type { ModelPrice } from '@pydantic/genai-prices';

const GEMINI = /^google\/gemini-(?!embedding)(?:\D*(\d+))?/;
const FIRST_BILLED_BY_QUERY = 3;

/**
 * What the table leaves out, in its own terms: USD for a thousand pieces. Google takes $14 for a
 * thousand queries of grounding from Gemini 3 on, and $35 for a thousand grounded calls before. What is
 * free of it, some thousands a month or a day, is not taken off: nobody tells a call whether it was.
 * Source: "Grounding with Google Search" of each model on https://ai.google.dev/gemini-api/docs/pricing.
 */
export function knownFees(key: string): ModelPrice {
  const found = GEMINI.exec(key);
  if (found === null) return {};
  const version = Number(found[1] ?? 0);
  return { web_searches_kcount: version >= FIRST_BILLED_BY_QUERY ? 14 : 35 };
}
