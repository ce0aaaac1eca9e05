import { asObject, type JsonObject, numberAt } from '@hardcap/core/adapter';

/** Token counts as a package reports them. What the sums include differs from package to package. */
export interface UsageTotals {
  readonly input: number | undefined;
  /** Input without what was cached. */
  readonly fresh: number | undefined;
  readonly cacheRead: number | undefined;
  readonly cacheWrite: number | undefined;
  readonly output: number | undefined;
  /** Output without reasoning. */
  readonly visible: number | undefined;
  readonly reasoning: number | undefined;
  /** Of input and output; in flat figures only. */
  readonly all: number | undefined;
}

/** Flat figures (packages of version 2) or nested ones (later); undefined where there are none. */
export function usageTotals(usage: JsonObject | undefined): UsageTotals | undefined {
  const input = asObject(usage?.['inputTokens']);
  const output = asObject(usage?.['outputTokens']);
  const totals = input === undefined && output === undefined ? flat(usage) : nested(input, output);
  const reported = [totals.input, totals.fresh, totals.output, totals.visible];
  if (reported.every((count) => count === undefined)) return undefined;
  const raw = asObject(usage?.['raw']);
  return raw === undefined || isStated(raw, totals) ? totals : undefined;
}

function flat(usage: JsonObject | undefined): UsageTotals {
  return {
    input: numberAt(usage, 'inputTokens'),
    fresh: undefined,
    cacheRead: numberAt(usage, 'cachedInputTokens'),
    cacheWrite: undefined,
    output: numberAt(usage, 'outputTokens'),
    visible: undefined,
    reasoning: numberAt(usage, 'reasoningTokens'),
    all: numberAt(usage, 'totalTokens'),
  };
}

function nested(input: JsonObject | undefined, output: JsonObject | undefined): UsageTotals {
  return {
    input: numberAt(input, 'total'),
    fresh: numberAt(input, 'noCache'),
    cacheRead: numberAt(input, 'cacheRead'),
    cacheWrite: numberAt(input, 'cacheWrite'),
    output: numberAt(output, 'total'),
    visible: numberAt(output, 'text'),
    reasoning: numberAt(output, 'reasoning'),
    all: undefined,
  };
}

const INPUT_FIELDS = ['prompt_tokens', 'input_tokens', 'inputTokens', 'promptTokenCount'] as const;
const OUTPUT_FIELDS = [
  'completion_tokens',
  'output_tokens',
  'outputTokens',
  'candidatesTokenCount',
] as const;

/** Packages make zeros of figures that are missing: a zero counts where the provider said it. */
function isStated(raw: JsonObject, { input, output }: UsageTotals): boolean {
  const has = (fields: readonly string[]): boolean =>
    fields.some((field) => typeof raw[field] === 'number');
  return (input !== 0 || has(INPUT_FIELDS)) && (output !== 0 || has(OUTPUT_FIELDS));
}
