import type { JsonObject } from '@hardcap/core/adapter';
import { asObject, listAt, objectAt, textAt } from '@hardcap/core/adapter';
import { contentMedia } from './content-media.ts';

/** Whether anything in a call asks for cache writes that last an hour, which cost more. */
export function requestsLongCacheWrites(messages: readonly unknown[], params: JsonObject): boolean {
  const blocks = messages.flatMap((message) => listAt(asObject(message), 'content'));
  const nested = blocks.flatMap((block) => listAt(asObject(block), 'content'));
  const settings = [params, ...listAt(params, 'tools'), ...listAt(params, 'system')];
  return [...settings, ...blocks, ...nested].some(isLong);
}

function isLong(marked: unknown): boolean {
  return ['cache_control', 'cachePoint'].some(
    (name) => textAt(objectAt(marked, name), 'ttl') === '1h',
  );
}

/** Whether audio is among the input. */
export function requestsAudio(messages: readonly unknown[]): boolean {
  const blocks = messages.flatMap((message) => listAt(asObject(message), 'content'));
  const nested = blocks.flatMap((block) => listAt(asObject(block), 'content'));
  return [...blocks, ...nested].some((block) => {
    const media = contentMedia(asObject(block) ?? {});
    return media !== undefined && 'kind' in media && media.kind === 'audio';
  });
}
