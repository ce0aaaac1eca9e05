import { asObject, type JsonObject, textAt } from '@hardcap/core/adapter';
import type { MediaItem } from '@hardcap/core/input-bound';

/** What a file in a prompt adds to its input: text, or something to be counted by its kind. */
export type FileContent = { readonly text: string } | { readonly media: MediaItem };

/** A file of a message or of a tool result, in any of the shapes of `ai` 5, 6 and 7. */
export function fileContent(part: JsonObject): FileContent {
  const mediaType = textAt(part, 'mediaType') ?? (isImage(part) ? 'image' : '');
  const data = dataOf(part);
  if (typeof data === 'object' && 'text' in data) return data;
  if (/^image\b/.test(mediaType)) {
    return { media: data === undefined ? { kind: 'image' } : { kind: 'image', data } };
  }
  if (/^(?:audio|video)\b/.test(mediaType)) {
    const kind = mediaType.startsWith('audio') ? 'audio' : 'video';
    return { media: data === undefined ? { kind } : { kind, byteLength: byteLength(data) } };
  }
  if (/^text\b/.test(mediaType) && data !== undefined) return { text: decoded(data) };
  return { media: { kind: 'file' } };
}

type FileData = Uint8Array | string;

/** Bytes or base64; undefined for what is elsewhere. Version 7 says which it is, the others do not. */
function dataOf(part: JsonObject): FileData | { readonly text: string } | undefined {
  const { data } = part;
  if (data instanceof Uint8Array) return data;
  if (typeof data === 'string') return /^[a-z][a-z0-9+.-]*:/i.test(data) ? fromDataUrl(data) : data;
  const tagged = asObject(data);
  const text = textAt(tagged, 'text');
  if (tagged?.['type'] === 'text' && text !== undefined) return { text };
  return tagged?.['type'] === 'data' ? dataOf(tagged) : undefined;
}

function fromDataUrl(url: string): string | undefined {
  return /^data:[^,]*;base64,(.*)$/s.exec(url)?.[1];
}

function isImage(part: JsonObject): boolean {
  return /^image/.test(textAt(part, 'type') ?? '');
}

function byteLength(data: FileData): number {
  return typeof data === 'string' ? Math.ceil((data.length * 3) / 4) : data.byteLength;
}

function decoded(data: FileData): string {
  if (typeof data !== 'string') return new TextDecoder().decode(data);
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(data), (byte) => byte.charCodeAt(0)));
  } catch {
    // No base64: it is counted as it stands, which is more.
    return data;
  }
}
