import type { WebhookMessage } from './webhook-message.ts';
import { signatureOf } from './webhook-signature.ts';

/** Where and how messages are sent. */
export interface WebhookTarget {
  readonly url: string;
  readonly key: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly fetch: typeof fetch;
  readonly now: () => number;
}

/** What came of sending a message once. */
export interface AttemptResult {
  /** `again`: it may yet be taken. `refused`: it never will. */
  readonly outcome: 'taken' | 'again' | 'refused';
  /** HTTP status; null where there was no answer. */
  readonly status: number | null;
  /** The least time to wait, where the receiver names one. */
  readonly retryAfterMs: number;
  readonly error?: unknown;
}

const TOO_MANY_REQUESTS = 429;
const SERVER_ERROR = 500;

/** Sends a message once, signed for now. Never throws. */
export async function attemptDelivery(
  target: WebhookTarget,
  { id, body }: WebhookMessage,
): Promise<AttemptResult> {
  try {
    const timestamp = Math.floor(target.now() / 1_000);
    const response = await target.fetch(target.url, {
      method: 'POST',
      body,
      headers: {
        ...target.headers,
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': signatureOf(target.key, id, timestamp, body),
      },
      // What is signed for one place is not handed to another.
      redirect: 'manual',
      signal: AbortSignal.timeout(target.timeoutMs),
    });
    // Nobody reads it, and a body left open keeps its connection.
    await response.body?.cancel();
    const { status } = response;
    const mayPass = status === TOO_MANY_REQUESTS || status >= SERVER_ERROR;
    const outcome = response.ok ? 'taken' : mayPass ? 'again' : 'refused';
    return { outcome, status, retryAfterMs: retryAfterMs(response, target.now()) };
  } catch (error) {
    return { outcome: 'again', status: null, retryAfterMs: 0, error };
  }
}

/** Retry-After of RFC 9110, section 10.2.3: seconds, or a date. */
function retryAfterMs(response: Response, now: number): number {
  const text = response.headers.get('retry-after')?.trim() ?? '';
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  const time = Date.parse(text);
  return Number.isNaN(time) ? 0 : Math.max(0, time - now);
}
