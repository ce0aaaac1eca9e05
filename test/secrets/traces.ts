import { inspect } from 'node:util';

/** Everything that a program could show, write or send, by where it came from. */
export class Traces {
  readonly #bytes: Map<string, Buffer[]> = new Map();

  /** Takes bytes and text as they are, and everything else in each way in which it could be written. */
  add(source: string, value: unknown): void {
    const known = this.#bytes.get(source) ?? [];
    this.#bytes.set(source, known);
    if (value instanceof Uint8Array) known.push(Buffer.from(value));
    else if (typeof value === 'string') known.push(Buffer.from(value));
    else known.push(Buffer.from(written(value)));
  }

  get sources(): string[] {
    return [...this.#bytes.keys()];
  }

  /** Where a text is, in whatever spelling. */
  placesOf(text: string): string[] {
    const spellings = spellingsOf(text);
    return this.sources.filter((source) =>
      this.#bytes.get(source)?.some((bytes) => spellings.some((each) => bytes.includes(each))),
    );
  }
}

function written(value: unknown): string {
  const whole = { depth: 32, showHidden: true, maxArrayLength: null, maxStringLength: null };
  const parts = [inspect(value, whole), String(value), asJson(value)];
  if (value instanceof Error) parts.push(value.message, `${value.stack}`, inspect(value));
  return parts.join('\n');
}

function asJson(value: unknown): string {
  try {
    return `${JSON.stringify(value, withErrors)}`;
  } catch {
    return 'what goes in a circle is no JSON';
  }
}

/** As log libraries do it: an error is its fields, its name, its message and its stack. */
function withErrors(_: string, value: unknown): unknown {
  if (!(value instanceof Error)) return value;
  const { name, message, stack, cause } = value;
  return { ...value, name, message, stack, cause };
}

/** Plain, in UTF-16, in hex, and in base64 from whichever of three bytes it begins at. */
function spellingsOf(text: string): Buffer[] {
  const base64 = [0, 1, 2].map((shift) => {
    const encoded = Buffer.from(`${' '.repeat(shift)}${text}`).toString('base64');
    // The digits around it have bits of its neighbours in them.
    return Buffer.from(encoded.slice(shift + 1, -4));
  });
  const utf16 = Buffer.from(text, 'utf16le');
  return [Buffer.from(text), utf16, Buffer.from(Buffer.from(text).toString('hex')), ...base64];
}
