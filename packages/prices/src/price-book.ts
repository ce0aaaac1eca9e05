import {
  ConfigError,
  InvalidArgumentError,
  type PriceBook,
  type PriceQuote,
  type PriceRequest,
  UnpricedModelError,
} from '@hardcap/core';
import { GENAI_AS_OF } from './genai-table.ts';
import type { PriceBookOptions } from './price-book-options.ts';
import { type PriceRules, parseRules } from './price-rules.ts';
import { fixedModel, type PricedModel, type QuoteSpan, quoteAt } from './priced-model.ts';
import { QuoteMemo } from './quote-memo.ts';
import { resolveModel } from './resolve-model.ts';

type Resolved = QuoteSpan & { readonly priced: PricedModel | string };

/**
 * A price book over the table of `@pydantic/genai-prices` and your own prices. It fetches nothing:
 * its prices are those of the installed version.
 *
 * `quote` throws an UnpricedModelError unless a price is certain: for an unknown model, for one that
 * the table only guesses from its name, and for rates that are missing, zero or implausible.
 *
 * @throws ConfigError when an option is not understood.
 */
export function createPriceBook(options: PriceBookOptions = {}): PriceBook {
  const rules = parseRules(options);
  checkAliases(rules, options);
  const memo = new QuoteMemo<Resolved>();

  const resolve = (request: PriceRequest): Resolved => {
    const { provider, model, at, serviceTier } = request;
    if (!Number.isFinite(at)) {
      throw new InvalidArgumentError(`at: ${at} is not a time in milliseconds since the epoch.`);
    }
    const name = memoName(request);
    const priced =
      memo.get(provider, name)?.priced ?? resolveModel(rules, provider, model, tierOf(serviceTier));
    const entry = { ...quoteOrCeiling(rules, request, priced), priced };
    memo.set(provider, name, entry);
    return entry;
  };

  return {
    passesUnpriced: rules.passesUnpriced,
    asOf: GENAI_AS_OF,
    quote(request: PriceRequest): PriceQuote {
      const { provider, model, at } = request;
      let entry = memo.get(provider, memoName(request));
      if (entry === undefined || !(at >= entry.from && at < entry.until)) entry = resolve(request);
      if (entry.quote === undefined) throw new UnpricedModelError(provider, model, entry.refusal);
      return entry.quote;
    },
  };
}

/** At each tier of service a model has a price of its own. */
function memoName({ model, serviceTier }: PriceRequest): string {
  return serviceTier === undefined ? model : `${model}\n${serviceTier}`;
}

function tierOf(serviceTier: string | undefined): string | undefined {
  return serviceTier?.toLowerCase();
}

function quoteOrCeiling(
  { ceiling }: PriceRules,
  { provider, model, at }: PriceRequest,
  priced: PricedModel | string,
): QuoteSpan {
  const span = typeof priced === 'string' ? refused(priced) : quoteAt(priced, at);
  if (span.quote !== undefined || ceiling === null) return span;
  const { from, until } = span;
  return { ...quoteAt(fixedModel('ceiling', provider, model, ceiling), at), from, until };
}

function refused(refusal: string): QuoteSpan {
  return { from: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY, refusal };
}

function checkAliases(rules: PriceRules, { aliases = {} }: PriceBookOptions): void {
  for (const [name, target] of Object.entries(aliases)) {
    if (name.trim().endsWith('*')) continue;
    const slash = name.indexOf('/');
    const priced = resolveModel(rules, name.slice(0, slash), name.slice(slash + 1));
    if (typeof priced !== 'string') continue;
    throw new ConfigError(
      `aliases["${name}"]: "${target}" has no price: ${priced}. Write another.`,
    );
  }
}
