import type { ModelInfo, ModelPrice, Provider } from '@pydantic/genai-prices';
import { matchModel } from './genai-match.ts';
import { cardOf } from './genai-rates.ts';
import { GENAI_SOURCE, GENAI_VERSION, genaiProvider } from './genai-table.ts';
import { knownTooLow } from './known-errors.ts';
import { knownFees } from './known-fees.ts';
import { type ModelName, nameKey } from './model-name.ts';
import { outputLimit } from './output-limits.ts';
import type { PriceRow } from './price-schedule.ts';
import { rowTimeOf } from './price-schedule.ts';
import type { PricedModel } from './priced-model.ts';
import { isClaude } from './token-rates.ts';

// genai falls back from Azure to these, and from Azure to makers of open models as well, for which
// Azure's own price is up to ten times that of the maker: $1.35 and $0.135 for deepseek-r1.
const SOLD_AT_LIST_PRICE: ReadonlySet<string> = new Set(['openai', 'anthropic', 'x-ai']);

/** What the table says of a name: its model, or why it has none that is certain. */
export type TableAnswer =
  | { readonly provider: Provider; readonly model: ModelInfo; readonly refusal?: never }
  | { readonly model?: never; readonly refusal: string };

/** Looks a canonical name up in genai's table, under its provider and those that it resells. */
export function findInTable({ provider: id, model: name }: ModelName): TableAnswer {
  const provider = genaiProvider(id);
  if (id === 'gateway') return { refusal: 'a gateway sends it to hosts with prices of their own' };
  if (provider === undefined) return { refusal: `${GENAI_SOURCE} does not know this provider` };
  const resold = provider.fallback_model_providers ?? [];
  const sellers = [id, ...resold.filter((other) => SOLD_AT_LIST_PRICE.has(other))];
  let guess: ModelInfo | undefined;
  for (const seller of sellers.map(genaiProvider)) {
    const match = seller === undefined ? undefined : matchModel(seller, name);
    if (seller === undefined || match === undefined) continue;
    if (match.quality === 'exact') return { provider: seller, model: match.model };
    guess ??= match.model;
  }
  if (guess === undefined) return { refusal: `${GENAI_SOURCE} ${GENAI_VERSION} has no such model` };
  return {
    refusal: `${GENAI_SOURCE} ${GENAI_VERSION} would guess from the name that it is "${guess.id}"`,
  };
}

/** The price of a canonical name in genai's table, or why it has none. */
export function tablePrice(name: ModelName): PricedModel | string {
  const found = findInTable(name);
  if (found.refusal !== undefined) return found.refusal;
  const { provider, model } = found;
  const id = model.id.toLowerCase();
  const key = `${provider.id}/${id}`;
  const tooLow = knownTooLow(key);
  if (tooLow !== undefined) return tooLow;
  const rows = rowsOf(model, isClaude(id), knownFees(key));
  const [first, ...others] = new Set(rows.map(({ answer }) => answer.refusal));
  if (first !== undefined && others.length === 0) return first;
  return {
    source: GENAI_SOURCE,
    basis: 'list',
    version: GENAI_VERSION,
    provider: provider.id,
    model: model.id,
    rows,
    free: false,
    maxOutputTokens: outputLimit(nameKey({ provider: provider.id, model: id })),
    contextTokens: contextOf(model),
  };
}

function rowsOf(model: ModelInfo, claude: boolean, fees: ModelPrice): PriceRow[] {
  const rows = Array.isArray(model.prices) ? model.prices : [{ prices: model.prices }];
  return rows.map((row) => ({
    time: rowTimeOf('constraint' in row ? row.constraint : undefined),
    answer: cardOf(withFees(row.prices, fees), claude),
  }));
}

/** Fees are nothing by themselves: what is listed without a rate stays so. */
function withFees(prices: ModelPrice, fees: ModelPrice): ModelPrice {
  return Object.keys(prices).length === 0 ? prices : { ...fees, ...prices };
}

const MILLION = 1_000_000;

/** The context window of a model in tokens; null when the table has none that can be a bound. */
export function contextOf(model: ModelInfo): number | null {
  const { context_window: window, prices } = model;
  if (window === undefined) return null;
  const rows = Array.isArray(prices) ? prices.map((row) => row.prices) : [prices];
  const starts = rows.flatMap((row) =>
    Object.values(row).flatMap((value) =>
      typeof value === 'object' ? value.tiers.map(({ start }) => start) : [],
    ),
  );
  // A dearer tier above the window shows that the window can be exceeded: claude-sonnet-4-5's beta.
  if (starts.some((start) => start >= window)) return null;
  // The table rounds 1,048,576 and 1,047,576 down to a million.
  return window % MILLION === 0 ? (window / MILLION) * 2 ** 20 : window;
}
