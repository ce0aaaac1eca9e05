export interface ImageSize {
  /** Pixels. */
  readonly width: number;
  readonly height: number;
}

/** The byte at an offset; NaN past the end, which no comparison with a byte is true for. */
type ByteAt = (offset: number) => number;

/** More segments than a JPEG has before its frame header; what has more is not looked through. */
const SEGMENTS_MAX = 1_000;

/**
 * Width and height of a PNG, GIF, WebP or JPEG, from its header. Undefined for other formats and
 * for data that ends before its header does.
 *
 * @param data the image's first bytes, or all; a string is their base64.
 */
export function imageSize(data: Uint8Array | string): ImageSize | undefined {
  const at: ByteAt =
    typeof data === 'string' ? base64Bytes(data) : (offset) => data[offset] ?? Number.NaN;
  const size = pngSize(at) ?? gifSize(at) ?? webpSize(at) ?? jpegSize(at);
  return size !== undefined && size.width > 0 && size.height > 0 ? size : undefined;
}

function pngSize(at: ByteAt): ImageSize | undefined {
  if (!hasText(at, 1, 'PNG\r\n') || !hasText(at, 12, 'IHDR')) return undefined;
  return sized(bigEndian(at, 16, 4), bigEndian(at, 20, 4));
}

function gifSize(at: ByteAt): ImageSize | undefined {
  if (!hasText(at, 0, 'GIF8')) return undefined;
  return sized(littleEndian(at, 6, 2), littleEndian(at, 8, 2));
}

function webpSize(at: ByteAt): ImageSize | undefined {
  if (!hasText(at, 0, 'RIFF') || !hasText(at, 8, 'WEBP')) return undefined;
  if (hasText(at, 12, 'VP8X'))
    return sized(littleEndian(at, 24, 3) + 1, littleEndian(at, 27, 3) + 1);
  if (hasText(at, 12, 'VP8L')) {
    // 14 bits each, both less 1, after a byte of signature.
    const bits = littleEndian(at, 21, 4);
    return sized((bits % 0x4000) + 1, (Math.floor(bits / 0x4000) % 0x4000) + 1);
  }
  if (!hasText(at, 12, 'VP8 ')) return undefined;
  // 14 bits each; the two above them scale the picture on screen.
  return sized(littleEndian(at, 26, 2) % 0x4000, littleEndian(at, 28, 2) % 0x4000);
}

function jpegSize(at: ByteAt): ImageSize | undefined {
  if (at(0) !== 0xff || at(1) !== 0xd8) return undefined;
  let offset = 2;
  for (let segment = 0; segment < SEGMENTS_MAX && at(offset) === 0xff; segment++) {
    const marker = at(offset + 1);
    if (marker === 0xff) {
      offset += 1; // padding
    } else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7)) {
      offset += 2; // no payload
    } else if (isFrameHeader(marker)) {
      return sized(bigEndian(at, offset + 7, 2), bigEndian(at, offset + 5, 2));
    } else {
      offset += 2 + bigEndian(at, offset + 2, 2);
    }
  }
  return undefined;
}

/** SOF0 to SOF15 without DHT, JPG and DAC, which share their range (ITU-T T.81, table B.1). */
function isFrameHeader(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

function sized(width: number, height: number): ImageSize | undefined {
  return Number.isNaN(width) || Number.isNaN(height) ? undefined : { width, height };
}

function hasText(at: ByteAt, offset: number, text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    if (at(offset + index) !== text.charCodeAt(index)) return false;
  }
  return true;
}

function bigEndian(at: ByteAt, offset: number, bytes: number): number {
  let value = 0;
  for (let index = 0; index < bytes; index++) value = value * 256 + at(offset + index);
  return value;
}

function littleEndian(at: ByteAt, offset: number, bytes: number): number {
  let value = 0;
  for (let index = bytes - 1; index >= 0; index--) value = value * 256 + at(offset + index);
  return value;
}

/** Reads single bytes, since the header of a JPEG may be far into the text. */
function base64Bytes(text: string): ByteAt {
  // Lines would shift every offset after the first.
  if (/\s/.test(text)) return base64Bytes(text.replace(/\s+/g, ''));
  return (offset) => {
    const place = Math.floor(offset / 3) * 4 + (offset % 3);
    const high = sextet(text.charCodeAt(place));
    const low = sextet(text.charCodeAt(place + 1));
    const shift = 2 * (offset % 3) + 2;
    return ((high * 2 ** shift) % 256) + Math.floor(low / 2 ** (6 - shift));
  };
}

/** Value of a character of base64 or base64url; NaN for any other. */
function sextet(code: number): number {
  if (code >= 65 && code <= 90) return code - 65;
  if (code >= 97 && code <= 122) return code - 71;
  if (code >= 48 && code <= 57) return code + 4;
  if (code === 43 || code === 45) return 62;
  return code === 47 || code === 95 ? 63 : Number.NaN;
}
