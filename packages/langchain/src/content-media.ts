import { asObject, type JsonObject, objectAt, textAt } from '@hardcap/core/adapter';
import type { MediaItem } from '@hardcap/core/input-bound';

/**
 * What a block of content adds to the input that is no text: undefined for a block that is none of
 * an image, a recording or a file. It may be in LangChain's own shapes, of version 0 and 1, or in
 * those of OpenAI, Anthropic and Google.
 */
export function contentMedia(block: JsonObject): MediaItem | { readonly text: string } | undefined {
  const type = textAt(block, 'type') ?? '';
  const kind = kindOf(type, block);
  if (kind === undefined) return undefined;
  const data = dataOf(block);
  if (kind === 'image') return data === undefined ? { kind } : { kind, data };
  if (kind !== 'file') return data === undefined ? { kind } : { kind, byteLength: bytesIn(data) };
  const text = textOf(block);
  return text === undefined ? { kind } : { text };
}

type Kind = MediaItem['kind'];

const TYPES: readonly (readonly [RegExp, Kind])[] = [
  [/image/, 'image'],
  [/audio/, 'audio'],
  [/video/, 'video'],
  [/^(?:input_)?file$|document|text-plain|^media$|container_upload/, 'file'],
];

function kindOf(type: string, block: JsonObject): Kind | undefined {
  // Google's parts have no type, or say it in their media type.
  const inline = objectAt(block, 'inlineData') ?? objectAt(block, 'fileData');
  const named = inline === undefined ? type : 'media';
  const kind = TYPES.find(([types]) => types.test(named))?.[1];
  if (kind !== 'file') return kind;
  const mediaType = mediaTypeOf(inline ?? block) ?? '';
  return TYPES.find(([types]) => types.test(mediaType))?.[1] ?? kind;
}

function mediaTypeOf(block: JsonObject): string | undefined {
  const source = asObject(block['source']) ?? block;
  for (const key of ['mime_type', 'mimeType', 'media_type', 'mediaType']) {
    const text = textAt(block, key) ?? textAt(source, key);
    if (text !== undefined) return text;
  }
  return undefined;
}

/** Bytes or base64; undefined for what is elsewhere. */
function dataOf(block: JsonObject): Uint8Array | string | undefined {
  const places = [
    block['data'],
    objectAt(block, 'source')?.['data'],
    objectAt(block, 'source')?.['bytes'],
    objectAt(block, 'input_audio')?.['data'],
    objectAt(block, 'inlineData')?.['data'],
    objectAt(block, 'image_url')?.['url'],
    block['image_url'],
    block['url'],
  ];
  for (const place of places) {
    if (place instanceof Uint8Array) return place;
    if (typeof place !== 'string') continue;
    const isUrl = /^[a-z][a-z0-9+.-]*:/i.test(place);
    const data = isUrl ? /^data:[^,]*;base64,(.*)$/s.exec(place)?.[1] : place;
    if (data !== undefined) return data;
  }
  return undefined;
}

function bytesIn(data: Uint8Array | string): number {
  return typeof data === 'string' ? Math.ceil((data.length * 3) / 4) : data.byteLength;
}

/** A document that is plain text, which counts as such. */
function textOf(block: JsonObject): string | undefined {
  const source = objectAt(block, 'source');
  if (textAt(source, 'type') === 'text') return textAt(source, 'data');
  if (source?.['type'] === 'content') return JSON.stringify(source['content']);
  return textAt(block, 'text');
}
