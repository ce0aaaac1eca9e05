import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import { configError, type TextPosition } from './config-problem.ts';

/** A text that was read as YAML, of which JSON is a part, and the places of what is in it. */
export interface ConfigText {
  readonly value: unknown;
  /** Where a value stands, or else what it would be part of. */
  positionOf(path: readonly PropertyKey[]): TextPosition;
  /** A value as it was written, such as `5.00`. */
  sourceOf(path: readonly PropertyKey[]): string | undefined;
}

/** The longest text, in characters. */
const MAX_LENGTH = 1_000_000;
// Anchors are for a handful of windows and lists; more is an attack on memory.
const MAX_ALIASES = 100;

/** @throws ConfigError for a text that is no YAML, with line and column. */
export function parseConfigText(text: string, file: string | undefined): ConfigText {
  const problem = (message: string, position?: TextPosition, cause?: unknown) =>
    configError([{ path: [], message }], file, () => position, cause);
  if (text.length > MAX_LENGTH) {
    throw problem(`it has ${text.length} characters, and at most ${MAX_LENGTH} are read`);
  }
  const lines = new LineCounter();
  const positionAt = (offset: number): TextPosition => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const [error] = [...document.errors, ...document.warnings];
  if (error !== undefined) {
    const [start] = error.pos;
    // Inside { } and [ ], the brace of a reference begins a map.
    const hint = text[start - 1] === '$' ? ' Write the reference in quotes: "${NAME}".' : '';
    throw problem(`${error.message}${hint}`, positionAt(start), error);
  }
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch (cause) {
    throw problem((cause as Error).message, undefined, cause);
  }
  return {
    value,
    positionOf: (path) => positionAt(nodeAt(document, path).offset),
    sourceOf(path) {
      const { node, complete } = nodeAt(document, path);
      return complete && isScalar(node) ? node.source : undefined;
    },
  };
}

/** The node of a path, or the nearest that there is above it. */
function nodeAt(
  document: Document,
  path: readonly PropertyKey[],
): { readonly node: unknown; readonly offset: number; readonly complete: boolean } {
  let node: unknown = document.contents;
  let offset = offsetOf(node, 0);
  for (const key of path) {
    const around = isAlias(node) ? node.resolve(document) : node;
    let found: unknown;
    if (isSeq(around) && typeof key === 'number') found = around.items[key];
    if (isMap(around)) {
      const pair = around.items.find(
        (item) => isScalar(item.key) && String(item.key.value) === key,
      );
      offset = offsetOf(pair?.key, offset);
      found = pair?.value;
    }
    if (found === undefined || found === null) return { node, offset, complete: false };
    node = found;
    offset = offsetOf(node, offset);
  }
  return { node, offset, complete: true };
}

function offsetOf(node: unknown, otherwise: number): number {
  return (node as { range?: [number] } | null | undefined)?.range?.[0] ?? otherwise;
}
