import { asObject, type JsonObject, textAt } from '@hardcap/core/adapter';

const REASONS_OF_PACKAGES: ReadonlySet<string | undefined> = new Set([
  'error',
  'interrupted',
  'other',
  'unknown',
  undefined,
]);

/**
 * Whether a `finish` part has a reason that the provider gave. Packages end a stream that broke off
 * in the same way, with what was reported until then.
 */
export function isProvidersEnd(finish: JsonObject): boolean {
  const reason = finish['finishReason'];
  const { unified, raw } = asObject(reason) ?? { unified: reason, raw: undefined };
  return textAt({ raw }, 'raw') !== undefined || !REASONS_OF_PACKAGES.has(unified as string);
}
