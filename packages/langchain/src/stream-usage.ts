import type { TokenUsage } from '@hardcap/core';
import { type JsonObject, numberAt, objectAt } from '@hardcap/core/adapter';
import type { MeteredCall } from './attempt.ts';
import { reportedUsage, type UsageReport } from './reported-usage.ts';

/** Puts together the usage that chunks report in parts. */
export class StreamUsage {
  readonly #call: MeteredCall;
  #start: JsonObject | undefined;
  #anthropic: JsonObject | undefined;
  #output: number | undefined;
  #sum: JsonObject | undefined;

  constructor(call: MeteredCall) {
    this.#call = call;
  }

  /** Takes what a chunk reports; returns what of it is news while the stream runs. */
  add(
    metadata: JsonObject | undefined,
    raw: JsonObject | undefined,
  ): Partial<TokenUsage> | undefined {
    if (metadata === undefined) return undefined;
    return this.#call.name.provider === 'anthropic'
      ? this.#addAnthropic(metadata, raw)
      : this.#addPart(metadata);
  }

  /** Takes what stands for all of the stream, and for whatever was said before. */
  replace(metadata: JsonObject): void {
    this.#sum = metadata;
  }

  /** All that was reported; undefined where that is not the whole of a call. */
  report(): UsageReport | undefined {
    const whole = this.#call.told?.whole;
    if (whole !== undefined) {
      const { longCacheWrites } = this.#call;
      return { metadata: undefined, anthropic: whole, longCacheWrites };
    }
    if (this.#start !== undefined) {
      return this.#output === undefined ? undefined : this.#anthropicReport(this.#output);
    }
    const { longCacheWrites } = this.#call;
    return this.#sum && { metadata: this.#sum, longCacheWrites };
  }

  /**
   * Anthropic reports its input at the start, beside a placeholder for the output; then the output so
   * far. The framework adds all of that up, so it is read here from the chunks.
   */
  #addAnthropic(
    metadata: JsonObject,
    raw: JsonObject | undefined,
  ): Partial<TokenUsage> | undefined {
    if (this.#start !== undefined) {
      const output = numberAt(metadata, 'output_tokens');
      this.#output = output === undefined ? this.#output : Math.max(this.#output ?? 0, output);
      return output === undefined ? undefined : { output };
    }
    this.#start = metadata;
    this.#anthropic = raw;
    const report = this.#anthropicReport(0);
    return report && earlyInput(report);
  }

  #anthropicReport(output: number): UsageReport | undefined {
    const { longCacheWrites, excludesCache } = this.#call;
    // Gateways that leave the input to the end of the stream report none at the start.
    if (!((numberAt(this.#start, 'input_tokens') ?? 0) > 0 || this.#hasCache())) return undefined;
    const { total_tokens: _, ...start } = this.#start ?? {};
    const metadata = { ...start, output_tokens: output };
    return { metadata, anthropic: this.#anthropic, excludesCache, longCacheWrites };
  }

  #hasCache(): boolean {
    const details = objectAt(this.#start, 'input_token_details');
    return ['cache_read', 'cache_creation'].some((key) => (numberAt(details, key) ?? 0) > 0);
  }

  /** Parts add up, as the framework has it; but some packages give details that are cumulative. */
  #addPart(metadata: JsonObject): Partial<TokenUsage> | undefined {
    const before = this.#sum;
    const sum: Record<string, unknown> = {};
    for (const key of ['input_tokens', 'output_tokens', 'total_tokens']) {
      const count = numberAt(metadata, key);
      const counted = numberAt(before, key);
      if (count !== undefined || counted !== undefined) sum[key] = (count ?? 0) + (counted ?? 0);
    }
    for (const key of ['input_token_details', 'output_token_details']) {
      sum[key] = largest(objectAt(before, key), objectAt(metadata, key));
    }
    this.#sum = sum;
    const { longCacheWrites } = this.#call;
    return earlyInput({ metadata: { ...sum, output_tokens: 0, total_tokens: 0 }, longCacheWrites });
  }
}

function earlyInput(report: UsageReport): Partial<TokenUsage> | undefined {
  const usage = reportedUsage(report);
  if (usage === undefined) return undefined;
  const { input, cacheRead, cacheWrite5m, cacheWrite1h } = usage;
  return { input, cacheRead, cacheWrite5m, cacheWrite1h };
}

function largest(one: JsonObject = {}, other: JsonObject = {}): JsonObject {
  const figures: Record<string, number> = {};
  for (const place of [one, other]) {
    for (const key of Object.keys(place)) {
      figures[key] = Math.max(figures[key] ?? 0, numberAt(place, key) ?? 0);
    }
  }
  return figures;
}
