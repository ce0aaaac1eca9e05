import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { imageSize } from '../src/image-size.ts';

/** Images as libvips writes them. */
const IMAGES: readonly (readonly [string, number, number, string])[] = [
  [
    'PNG',
    301,
    7,
    'iVBORw0KGgoAAAANSUhEUgAAAS0AAAAHAQMAAABnbYlJAAAAA1BMVEUKFB5+TFI6AAAACXBIWXMAAAPoAAAD6AG1e1JrAAAADklEQVQYlWNgGAUMyAAAAREAAdh158EAAAAASUVORK5CYII=',
  ],
  [
    'GIF',
    300,
    5,
    'R0lGODlhLAEFAIAAAExpcQoUHiH5BAUAAAAALAAAAAAsAQUAAAImjI+py+0Po5y02ouz3rz7D4biSJbmiabqyrbuC8fyTNf2jef6VAAAOw==',
  ],
  [
    'JPEG',
    299,
    11,
    '/9j/2wBDAP//////////////////////////////////////////////////////////////////////////////////////2wBDAf//////////////////////////////////////////////////////////////////////////////////////wAARCAALASsDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAL/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFAEBAAAAAAAAAAAAAAAAAAAAAP/EABQRAQAAAAAAAAAAAAAAAAAAAAD/2gAMAwEAAhEDEQA/AIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAB/9k=',
  ],
  [
    'WebP, lossy',
    263,
    9,
    'UklGRkIAAABXRUJQVlA4IDYAAACwAwCdASoHAQkAP83m8HK/uDMsIegD8DmJaQDUFAWaDT/VZFtlyAD+54iqtWl3VLuqXdUsAAA=',
  ],
  [
    'WebP, lossless',
    262,
    514,
    'UklGRiwAAABXRUJQVlA4TCAAAAAvBUGAAAdQiirUo/8BBWkbMPMv/zai/yn8x3/8x38TAQ==',
  ],
  [
    'WebP, extended',
    261,
    13,
    'UklGRmQAAABXRUJQVlA4WAoAAAAQAAAABAEADAAAQUxQSBAAAAABB1DAiAgACeH/ey2i/+kKVlA4IC4AAACQAwCdASoFAQ0AP83m8HI/uDMsIegD8DmJaQAADvP9VkW2Yv+gAP7pYygAAAAA',
  ],
];

const bytesOf = (base64: string) => Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0));

describe.each(IMAGES)('%s', (_, width, height, base64) => {
  test('from its bytes', () => {
    expect(imageSize(bytesOf(base64))).toEqual({ width, height });
  });

  test('from base64, with lines, or of the kind for URLs', () => {
    expect(imageSize(base64)).toEqual({ width, height });
    expect(imageSize(base64.replace(/.{40}/g, '$&\r\n'))).toEqual({ width, height });
    expect(imageSize(base64.replaceAll('+', '-').replaceAll('/', '_'))).toEqual({ width, height });
  });

  test('from no fewer bytes than its header has, and from no other', () => {
    const bytes = bytesOf(base64);
    for (let length = 0; length < bytes.length; length++) {
      const size = imageSize(bytes.subarray(0, length));
      if (size !== undefined) expect(size).toEqual({ width, height });
    }
    expect(imageSize(bytes.subarray(0, 10))?.width).toBe(
      base64.startsWith('R0lG') ? 300 : undefined,
    );
  });
});

describe('JPEG', () => {
  const frame = [0xff, 0xc2, 0, 17, 8, 0x0b, 0xd0, 0x0f, 0xc0];

  test('past an EXIF block with a picture of its own, padding and a restart marker', () => {
    const thumbnail = [0xff, 0xd8, 0xff, 0xc0, 0, 17, 8, 0, 90, 0, 120];
    const exif = [0xff, 0xe1, 0, thumbnail.length + 2, ...thumbnail];
    const bytes = [0xff, 0xd8, ...exif, 0xff, 0xff, 0xff, 0xd0, ...frame];
    expect(imageSize(Uint8Array.from(bytes))).toEqual({ width: 4_032, height: 3_024 });
  });

  test('tables that share the range of frame headers are none', () => {
    const tables = [0xc4, 0xc8, 0xcc].flatMap((marker) => [0xff, marker, 0, 8, 1, 2, 3, 4, 5, 6]);
    expect(imageSize(Uint8Array.from([0xff, 0xd8, ...tables, ...frame]))?.width).toBe(4_032);
  });

  test('without a frame header', () => {
    expect(imageSize(Uint8Array.from([0xff, 0xd8, 0xff, 0xd9]))).toBeUndefined();
    expect(imageSize(Uint8Array.from([0xff, 0xd8, ...Array(9_000).fill(0xff)]))).toBeUndefined();
  });
});

test('an image without area has no size', () => {
  const png = bytesOf(IMAGES[0]?.[3] as string);
  png.fill(0, 16, 20);
  expect(imageSize(png)).toBeUndefined();
});

test('whatever the data: a size of whole pixels, or none, and no error', () => {
  const heads = IMAGES.map(([, , , base64]) => bytesOf(base64).subarray(0, 16));
  const data = fc
    .tuple(fc.constantFrom(new Uint8Array(), ...heads), fc.uint8Array({ maxLength: 60 }))
    .map(([head, tail]) => Uint8Array.from([...head, ...tail]));
  const check = (size: ReturnType<typeof imageSize>) => {
    if (size === undefined) return;
    expect(Number.isSafeInteger(size.width) && size.width > 0).toBe(true);
    expect(Number.isSafeInteger(size.height) && size.height > 0).toBe(true);
  };
  fc.assert(
    fc.property(data, fc.string(), (bytes, text) => {
      const size = imageSize(bytes);
      check(size);
      expect(imageSize(btoa(String.fromCharCode(...bytes)))).toEqual(size);
      check(imageSize(text));
    }),
  );
});
