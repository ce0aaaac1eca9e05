import { type JsonObject, textAt } from '@hardcap/core/adapter';

const END_OF: Readonly<Record<string, string>> = {
  'text-start': 'text-end',
  'reasoning-start': 'reasoning-end',
  'tool-input-start': 'tool-input-end',
};

/** Blocks of a stream that have started and not ended. */
export class OpenBlocks {
  readonly #ends: Map<string, JsonObject> = new Map();

  start(part: JsonObject): void {
    const type = END_OF[String(part['type'])] as string;
    const id = textAt(part, 'id') ?? '';
    this.#ends.set(`${type} ${id}`, { type, id });
  }

  end(part: JsonObject): void {
    this.#ends.delete(`${part['type']} ${part['id']}`);
  }

  /** The parts that end what is still open, in the order in which it was opened. */
  ends(): JsonObject[] {
    return [...this.#ends.values()];
  }
}
