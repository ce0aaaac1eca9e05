import type { Settlement } from '@hardcap/core';
import {
  asObject,
  type JsonObject,
  NEVER_CONNECTED,
  numberAt,
  objectAt,
  textAt,
} from '@hardcap/core/adapter';

/** What packages of the AI SDK throw while they build a request. */
const NEVER_BUILT: ReadonlySet<unknown> = new Set([
  'AI_InvalidArgumentError',
  'AI_InvalidPromptError',
  'AI_LoadAPIKeyError',
  'AI_LoadSettingError',
  'AI_NoSuchModelError',
  'AI_UnsupportedFunctionalityError',
]);

const DEEPEST_CAUSE = 8;

/**
 * What a call that failed may have cost. A status of 400 and above is a refusal before work. A
 * status of 200 is an answer that broke, which the provider bills, although the SDK would retry it.
 *
 * @param abortedBefore the caller had aborted before the call was made.
 */
export function failureOutcome(error: unknown, abortedBefore: boolean): Settlement {
  return abortedBefore || wasNeverSent(error) ? { outcome: 'not-sent' } : { outcome: 'unknown' };
}

function wasNeverSent(error: unknown): boolean {
  let cause = asObject(error);
  for (let depth = 0; cause !== undefined && depth < DEEPEST_CAUSE; depth += 1) {
    const status = numberAt(cause, 'statusCode');
    // AI Gateway's errors have a status even where none was received; what they wrap knows better.
    const isWrapper = /^Gateway/.test(textAt(cause, 'name') ?? '') && cause['cause'] !== undefined;
    if (status !== undefined && !isWrapper) return wasRefused(cause, status);
    if (NEVER_CONNECTED.has(cause['code']) || NEVER_BUILT.has(cause['name'])) return true;
    cause = asObject(cause['cause']);
  }
  return false;
}

/**
 * Packages also give a status to errors that came inside an answer of 200. Of those, only what
 * refuses before work has cost nothing; a failure of the server, or of reading it, has begun.
 */
function wasRefused(error: JsonObject, status: number): boolean {
  if (!cameInsideAnswer(error)) return status >= 400;
  return (status >= 400 && status < 500) || status === 503 || status === 529;
}

function cameInsideAnswer(error: JsonObject): boolean {
  const contentType = textAt(objectAt(error, 'responseHeaders'), 'content-type') ?? '';
  return /event-stream/.test(contentType);
}
