import { asObject, listAt, objectAt, textAt } from '@hardcap/core/adapter';
import type { ModelCall } from './model-call.ts';

/** Whether anything in the call asks for cache writes that last an hour, which cost more. */
export function requestsLongCacheWrites(call: ModelCall): boolean {
  if (isLong(call.providerOptions)) return true;
  for (const tool of call.tools ?? []) if (isLong(asObject(tool)?.['providerOptions'])) return true;
  for (const item of call.prompt ?? []) {
    const message = asObject(item);
    if (isLong(message?.['providerOptions'])) return true;
    for (const part of listAt(message, 'content')) {
      if (isLong(asObject(part)?.['providerOptions'])) return true;
      // A tool result may be marked itself, or any item in it.
      const output = objectAt(part, 'output');
      if (isLong(output?.['providerOptions'])) return true;
      for (const item of listAt(output, 'value')) {
        if (isLong(asObject(item)?.['providerOptions'])) return true;
      }
    }
  }
  return false;
}

const CACHE_OPTIONS = ['cacheControl', 'cache_control', 'cachePoint'] as const;

function isLong(providerOptions: unknown): boolean {
  const all = asObject(providerOptions);
  if (all === undefined) return false;
  return Object.values(all).some((own) =>
    CACHE_OPTIONS.some((name) => textAt(objectAt(own, name), 'ttl') === '1h'),
  );
}

/** Whether audio is among the input. */
export function requestsAudio(call: ModelCall): boolean {
  return (call.prompt ?? []).some((message) =>
    listAt(asObject(message), 'content').some((part) =>
      (textAt(asObject(part), 'mediaType') ?? '').startsWith('audio'),
    ),
  );
}
