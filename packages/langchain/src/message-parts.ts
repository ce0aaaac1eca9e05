import { asObject, type JsonObject, listAt, textAt } from '@hardcap/core/adapter';
import type { MediaItem } from '@hardcap/core/input-bound';
import { contentMedia } from './content-media.ts';

/** What messages add to the input of a call. */
export interface MessageParts {
  readonly texts: readonly string[];
  /** Tool calls, tool results, and everything else that is sent as a structure. */
  readonly payloads: readonly unknown[];
  readonly media: readonly MediaItem[];
}

/** Reads messages of `@langchain/core`, in the content shapes of any provider. */
export function messageParts(messages: readonly unknown[]): MessageParts {
  const reader = new MessageReader();
  for (const message of messages) reader.message(asObject(message) ?? {});
  return reader;
}

class MessageReader implements MessageParts {
  readonly texts: string[] = [];
  readonly payloads: unknown[] = [];
  readonly media: MediaItem[] = [];

  message(message: JsonObject): void {
    const isToolResult = message['tool_call_id'] !== undefined;
    const text = textAt(message, 'content');
    if (text !== undefined) (isToolResult ? this.payloads : this.texts).push(text);
    const blocks = listAt(message, 'content');
    for (const block of blocks) this.#block(block);
    // A call may stand in the content as well; counted twice is on the safe side.
    for (const call of listAt(message, 'tool_calls')) this.#call(asObject(call) ?? {});
    this.#sentBack(message['additional_kwargs']);
  }

  #block(value: unknown): void {
    if (typeof value === 'string') {
      this.texts.push(value);
      return;
    }
    const block = asObject(value) ?? {};
    const media = contentMedia(block);
    if (media !== undefined) {
      if ('text' in media) this.texts.push(media.text);
      else this.media.push(media);
      return;
    }
    const texts = TEXT_FIELDS.map((key) => textAt(block, key)).filter((text) => text !== undefined);
    if (texts.length > 0) this.texts.push(...texts);
    // A tool's result in Anthropic's shape, with blocks of its own.
    else if (Array.isArray(block['content']))
      for (const inner of block['content']) this.#block(inner);
    else this.payloads.push(block);
  }

  #call({ name, args }: JsonObject): void {
    this.payloads.push([name, args]);
  }

  /** Reasoning and signatures of earlier turns, and calls in the shape of the provider. */
  #sentBack(value: unknown): void {
    if (typeof value === 'string') {
      if (value.length >= SHORTEST_SENT_BACK) this.texts.push(value);
      return;
    }
    const inner = Array.isArray(value) ? value : Object.values(asObject(value) ?? {});
    for (const each of inner) this.#sentBack(each);
  }
}

const TEXT_FIELDS = ['text', 'reasoning', 'thinking', 'signature', 'data', 'refusal'] as const;

// Ids are shorter, and are no input.
const SHORTEST_SENT_BACK = 100;
