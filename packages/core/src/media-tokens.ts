import { type ImageSize, imageSize } from './image-size.ts';
import type { ModelTraits } from './model-traits.ts';

/** A picture. Its size is read from the data unless it is given; a URL alone says nothing of it. */
interface ImageItem {
  readonly kind: 'image';
  /** Pixels. */
  readonly width?: number;
  readonly height?: number;
  /** The first bytes of the image, or all; a string is their base64. */
  readonly data?: Uint8Array | string;
}

/** Sound or film. */
interface RecordingItem {
  readonly kind: 'audio' | 'video';
  readonly seconds?: number;
  /** Size of the recording, which bounds its seconds where they are not known. */
  readonly byteLength?: number;
}

/** A PDF or anything else that the provider reads by itself: nothing here tells its tokens. */
interface FileItem {
  readonly kind: 'file';
}

export type MediaItem = ImageItem | RecordingItem | FileItem;

/** Gemini's, the highest: 32 for sound, and 258 to 280 for a frame a second beside it. */
const TOKENS_PER_SECOND = { audio: 32, video: 320 } as const;

/** The slowest speech codecs in use. */
const BYTES_PER_SECOND_LEAST = 6_000 / 8;

/** The most tokens that an item can be billed as; null when nothing here bounds them. */
export function mediaTokens(item: MediaItem, model: ModelTraits): number | null {
  if (item.kind === 'file') return null;
  if (item.kind === 'image') return imageTokens(sizeOf(item), model);
  const { seconds = bytesToSeconds(item.byteLength) } = item;
  return seconds >= 0 && Number.isFinite(seconds)
    ? Math.ceil(seconds * TOKENS_PER_SECOND[item.kind])
    : null;
}

function bytesToSeconds(bytes = Number.NaN): number {
  return bytes / BYTES_PER_SECOND_LEAST;
}

function sizeOf({ width, height, data }: ImageItem): ImageSize | null {
  if (isPixels(width) && isPixels(height)) return { width, height };
  return (data === undefined ? undefined : imageSize(data)) ?? null;
}

function isPixels(value: number | undefined): value is number {
  return value !== undefined && value > 0 && Number.isFinite(value);
}

/** By the rules that providers have published up to November 2026. */
function imageTokens(size: ImageSize | null, model: ModelTraits): number | null {
  if (model.family === 'anthropic') return claudeTokens(size, model.version);
  if (model.family === 'google') return geminiTokens(size, model.version);
  if (model.family === 'openai') return openAiTokens(size, model);
  return size === null ? null : unknownTokens(size);
}

/** Patches of 28 pixels, in older texts w·h / 750, of the image as it is made to fit the model. */
function claudeTokens(size: ImageSize | null, version: number): number {
  const most = version >= 4.07 ? 4_784 : 1_600;
  if (size === null) return most + 8;
  const { width, height } = size;
  return Math.min(most, Math.max(patches(size, 28), Math.ceil((width * height) / 750))) + 8;
}

/** Gemini 2: 258 for a small image, else for each tile; later: a budget, here at its highest. */
function geminiTokens(size: ImageSize | null, version: number): number | null {
  if (version >= 3) return 2_240;
  if (size === null) return null;
  const { width, height } = size;
  if (width <= 384 && height <= 384) return 258;
  const tile = Math.min(768, Math.max(256, Math.floor(Math.min(width, height) / 1.5)));
  return 258 * patches(size, tile);
}

/** OpenAI's models count tiles of 512 pixels, or patches of 32 with a factor, up to a most. */
type OpenAiRule =
  | { readonly base: number; readonly tile: number }
  | { readonly factor: number; readonly most: number };

const TILES_MOST = 8;

function openAiTokens(size: ImageSize | null, model: ModelTraits): number | null {
  const rule = openAiRule(model);
  if (rule === null) return size === null ? null : unknownTokens(size);
  if ('tile' in rule) return rule.base + rule.tile * (size === null ? TILES_MOST : tilesOf(size));
  const count = size === null ? rule.most : Math.min(rule.most, patches(size, 32));
  return Number.isFinite(count) ? Math.ceil(count * rule.factor) : null;
}

function openAiRule({ id, version }: ModelTraits): OpenAiRule | null {
  if (/gpt-4o-mini/.test(id)) return { base: 2_833, tile: 5_667 };
  if (/gpt-4(?:o|\.5|\.1(?!-mini|-nano)|-turbo|-vision)/.test(id)) return { base: 85, tile: 170 };
  if (/\bo[13]\b/.test(id)) return { base: 75, tile: 150 };
  const factor = /nano/.test(id) ? 2.46 : /mini/.test(id) ? 1.72 : 1.2;
  if (!Number.isFinite(version)) return /\bo4-mini/.test(id) ? { factor, most: 1_536 } : null;
  if (version >= 6) return { factor, most: Number.POSITIVE_INFINITY };
  if (version >= 5.04) return { factor, most: 10_000 };
  if (factor > 1.2) return { factor, most: 1_536 };
  return version >= 5 ? { base: 70, tile: 140 } : null;
}

/** The short side is made 768 pixels, two tiles; whether of a small image too is not documented. */
function tilesOf({ width, height }: ImageSize): number {
  const ratio = Math.max(width, height) / Math.min(width, height);
  return Math.min(TILES_MOST, 2 * Math.ceil((768 * ratio) / 512));
}

/** For a rule that is not known: as many as the finest known patches, of 16 pixels (Pixtral). */
function unknownTokens(size: ImageSize): number {
  return Math.ceil(patches(size, 28) * 3.2);
}

function patches({ width, height }: ImageSize, pixels: number): number {
  return Math.ceil(width / pixels) * Math.ceil(height / pixels);
}
