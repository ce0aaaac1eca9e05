import { ConfigError } from './errors.ts';
import type { GuardEvent } from './event.ts';
import { type AttemptResult, attemptDelivery, type WebhookTarget } from './webhook-attempt.ts';
import { type WebhookMessage, webhookMessage } from './webhook-message.ts';
import { signingKey } from './webhook-signature.ts';

/** Options of {@link webhook}. */
export interface WebhookOptions {
  /** Where events are posted to, by http or https. */
  readonly url: string | URL;
  /** `whsec_` and the base64 of 24 to 64 random bytes, which the receiver has, too. */
  readonly secret: string;
  /** Which events are sent. @default thresholds that were crossed */
  readonly filter?: (event: GuardEvent) => boolean;
  /** Sent beside those of the convention. */
  readonly headers?: Readonly<Record<string, string>>;
  /** How long one attempt may take, in ms. @default 10_000 */
  readonly timeoutMs?: number;
  /** How often an event is sent at the most. @default 8 */
  readonly maxAttempts?: number;
  /** Events that wait at the most; what comes on top is given up at once. @default 1_000 */
  readonly maxQueue?: number;
  /** Told of each event that was given up. @default one line on the console */
  readonly onFailure?: (failure: WebhookFailure) => void;
  /** @default the fetch of the runtime */
  readonly fetch?: typeof fetch;
  /** Waits between attempts, so many ms. @default by a timer */
  readonly wait?: (ms: number) => Promise<void>;
  /** Ms since the epoch; stamps the attempts. @default Date.now */
  readonly now?: () => number;
}

/** An event that will not be delivered. */
export interface WebhookFailure {
  readonly event: GuardEvent;
  /** `refused`: an answer that repeating would not change. `unsendable`: it is not JSON. */
  readonly reason: 'queue-full' | 'refused' | 'unreachable' | 'unsendable';
  readonly attempts: number;
  /** HTTP status of the last answer; null where there was none. */
  readonly status: number | null;
  readonly error?: unknown;
}

/** A listener for `onEvent` that posts what it hears. */
export interface Webhook {
  (event: GuardEvent): void;
  /** Resolves once everything heard so far is delivered, or given up. Never rejects. */
  flush(): Promise<void>;
}

const FIRST_DELAY_MS = 1_000;
/** No receiver is waited for longer, whatever it asks for. */
const MAX_DELAY_MS = 600_000;

/**
 * Posts events to a URL, one after the other, signed as Standard Webhooks has it. What is not taken is
 * sent again, later and later. Nothing that goes wrong reaches the guard, or a call.
 *
 * @throws ConfigError for a URL or a secret that is none.
 */
export function webhook(options: WebhookOptions): Webhook {
  const { filter = isThreshold, maxQueue = 1_000 } = options;
  const deliver = deliveryOf(options);
  const onFailure = failurePort(options.onFailure);
  const now = options.now ?? Date.now;
  let waiting = 0;
  let last: Promise<void> = Promise.resolve();
  const messageOf = (event: GuardEvent): WebhookMessage | undefined => {
    const giveUp = (reason: WebhookFailure['reason'], cause: { error?: unknown } = {}): undefined =>
      void onFailure({ event, reason, attempts: 0, status: null, ...cause });
    try {
      if (!filter(event)) return undefined;
      return waiting < maxQueue ? webhookMessage(event, now()) : giveUp('queue-full');
    } catch (error) {
      return giveUp('unsendable', { error });
    }
  };
  const hear = (event: GuardEvent): void => {
    const message = messageOf(event);
    if (message === undefined) return;
    waiting += 1;
    last = last.then(async () => {
      const failure = await deliver(message);
      waiting -= 1;
      if (failure !== undefined) onFailure(failure);
    });
  };
  return Object.assign(hear, { flush: () => last });
}

/** Sends a message until it is taken, or says why that is not to be. */
function deliveryOf(
  options: WebhookOptions,
): (message: WebhookMessage) => Promise<WebhookFailure | undefined> {
  const target = targetOf(options);
  const { maxAttempts = 8, wait = timer } = options;
  return async (message) => {
    const { event } = message;
    for (let attempts = 1; ; attempts += 1) {
      const result = await attemptDelivery(target, message);
      if (result.outcome === 'taken') return undefined;
      const { status, error } = result;
      const figures = { event, attempts, status, ...(error === undefined ? {} : { error }) };
      if (result.outcome === 'refused') return { ...figures, reason: 'refused' };
      if (attempts >= maxAttempts) return { ...figures, reason: 'unreachable' };
      await wait(delayMs(attempts, result)).catch(() => {});
    }
  };
}

/** Twice as long each time, less up to a half by chance, so that senders do not come all at once. */
function delayMs(attempts: number, { retryAfterMs }: AttemptResult): number {
  const longest = FIRST_DELAY_MS * 2 ** (attempts - 1);
  const delay = longest * (1 - Math.random() / 2);
  return Math.min(MAX_DELAY_MS, Math.max(delay, retryAfterMs));
}

function targetOf(options: WebhookOptions): WebhookTarget {
  const { headers = {}, timeoutMs = 10_000, now = Date.now } = options;
  for (const field of ['timeoutMs', 'maxAttempts', 'maxQueue'] as const) {
    const value = options[field] ?? 1;
    if (Number.isSafeInteger(value) && value > 0) continue;
    throw new ConfigError(`\`${field}\` of a webhook is a whole number from 1; this is ${value}.`);
  }
  const key = signingKey(options.secret);
  const url = String(options.url);
  if (!/^https?:\/\/[^/]/.test(url) || !URL.canParse(url)) {
    throw new ConfigError('`url` of a webhook is an address such as "https://example.com/hooks".');
  }
  return { url, key, headers, timeoutMs, now, fetch: options.fetch ?? globalThis.fetch };
}

function isThreshold({ type }: GuardEvent): boolean {
  return type === 'threshold-crossed';
}

function timer(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}

/** Tells of failures. What the listener throws reaches nobody. */
function failurePort(listener: WebhookOptions['onFailure']): (failure: WebhookFailure) => void {
  const tell = listener ?? log;
  return (failure) => {
    try {
      tell(failure);
    } catch (error) {
      console.error('hardcap: onFailure of a webhook threw', error);
    }
  };
}

function log({ event, reason, attempts, status, error }: WebhookFailure): void {
  console.error(
    `hardcap: a webhook for "${event.type}" was not delivered: ${reason} after ${attempts} attempts` +
      `${status === null ? '' : `, status ${status}`}`,
    error ?? '',
  );
}
