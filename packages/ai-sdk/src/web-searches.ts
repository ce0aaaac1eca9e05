import { asObject, textAt } from '@hardcap/core/adapter';
import type { ModelId } from './middleware.ts';
import type { ModelCall } from './model-call.ts';
import { providerFamily } from './provider-family.ts';

/** Counts the web searches that OpenAI bills by the piece; it reports them as tool calls only. */
export class WebSearches {
  readonly #names: ReadonlySet<string>;
  count = 0;

  constructor(call: ModelCall, model: ModelId) {
    const searches = providerFamily(model) === 'openai' ? (call.tools ?? []) : [];
    this.#names = new Set(
      searches.map(asObject).flatMap((tool) => {
        const name = textAt(tool, 'name');
        const isSearch = /web_search/.test(textAt(tool, 'id') ?? '');
        return isSearch && name !== undefined ? [name] : [];
      }),
    );
  }

  /** A part of a stream, or an item of the content of a result. */
  see(part: unknown): void {
    if (this.#names.size === 0) return;
    const item = asObject(part);
    const name = textAt(item, 'toolName') ?? '';
    if (item?.['type'] === 'tool-call' && item['providerExecuted'] && this.#names.has(name)) {
      this.count += 1;
    }
  }
}
