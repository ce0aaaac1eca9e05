import { asObject, type JsonObject, numberAt, objectAt } from '@hardcap/core/adapter';
import { type ChatModel, derived } from './chat-model.ts';

/** What Anthropic has told of the usage of a stream so far. */
export class ToldUsage {
  /** All figures, the totals included; undefined until the end of the message. */
  whole: JsonObject | undefined;
  #sofar: Record<string, unknown> = {};

  /** Takes an event as it comes off the wire. */
  see(event: unknown): void {
    const object = asObject(event);
    switch (object?.['type']) {
      case 'message_start':
        this.#sofar = { ...objectAt(object, 'message', 'usage') };
        this.whole = undefined;
        break;
      case 'message_delta':
        this.#add(objectAt(object, 'usage'));
        break;
    }
  }

  /** Each figure stands for all until then; some gateways leave out or zero what they told before. */
  #add(usage: JsonObject | undefined): void {
    if (usage === undefined) return;
    for (const [key, figure] of Object.entries(usage)) {
      const before = this.#sofar[key];
      const isGrown = typeof figure !== 'number' || typeof before !== 'number' || figure > before;
      if (figure != null && isGrown) this.#sofar[key] = figure;
    }
    this.whole = tellsInput(this.#sofar)
      ? this.#sofar
      : { ...this.#sofar, input_tokens: undefined };
  }
}

const INPUT = ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'] as const;

/** No call is without input: gateways that count none have not told it. */
function tellsInput(usage: JsonObject): boolean {
  return INPUT.some((key) => (numberAt(usage, key) ?? 0) > 0);
}

type Request = (body: unknown, options: unknown) => Promise<AsyncIterable<unknown>>;

/**
 * The model, telling what Anthropic says of usage: its package keeps nothing of the end of a stream but
 * the output, and so leaves out what tools of the provider have read since the start, and compaction.
 */
export function withToldUsage(model: ChatModel, told: ToldUsage): ChatModel {
  const { createStreamWithRetry: request } = model as { readonly createStreamWithRetry?: Request };
  if (typeof request !== 'function') return model;
  return derived(model, {
    async createStreamWithRetry(body: unknown, options: unknown) {
      const stream = await request.call(model, body, options);
      return derived(stream, {
        async *[Symbol.asyncIterator]() {
          for await (const event of stream) {
            told.see(event);
            yield event;
          }
        },
      });
    },
  });
}
