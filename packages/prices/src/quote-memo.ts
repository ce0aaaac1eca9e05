import type { QuoteSpan } from './priced-model.ts';

// A service that lets its users name models must not grow without bound.
const ENTRIES_MAX = 10_000;

/**
 * The latest answer for each provider and model. Two maps deep, since joining the two names to one key
 * would cost more than both lookups.
 */
export class QuoteMemo<Entry extends QuoteSpan> {
  readonly #providers = new Map<string, Map<string, Entry>>();
  #size = 0;

  get(provider: string, model: string): Entry | undefined {
    return this.#providers.get(provider)?.get(model);
  }

  set(provider: string, model: string, entry: Entry): void {
    if (this.#size >= ENTRIES_MAX) {
      this.#providers.clear();
      this.#size = 0;
    }
    const models = this.#providers.get(provider) ?? new Map<string, Entry>();
    if (models.size === 0) this.#providers.set(provider, models);
    if (!models.has(model)) this.#size++;
    models.set(model, entry);
  }
}
