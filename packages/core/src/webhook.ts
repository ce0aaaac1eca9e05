import { setBackgroundTimer } from './background-timer.ts';
import { ConfigError } from './errors.ts';
import type { GuardEvent } from './event.ts';
import { unwatchExit, watchExit } from './exit-watch.ts';
import { type AttemptResult, attemptDelivery, type WebhookTarget } from './webhook-attempt.ts';
import { type WebhookMessage, webhookMessage } from './webhook-message.ts';
import { signingKey } from './webhook-signature.ts';

/** Options of {@link webhook}. */
export interface WebhookOptions {
  /** Where events are posted to, by http or https; without user name and password. */
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
  /**
   * `refused`: an answer that repeating would not change. `unsendable`: it is not JSON. `exit`: the
   * process came to its end while it waited.
   */
  readonly reason: 'queue-full' | 'refused' | 'unreachable' | 'unsendable' | 'exit';
  readonly attempts: number;
  /** HTTP status of the last answer; null where there was none. */
  readonly status: number | null;
  readonly error?: unknown;
}

/** A listener for `onEvent` that posts what it hears. */
export interface Webhook {
  (event: GuardEvent): void;
  /**
   * Resolves once everything heard so far is delivered, or given up, and keeps the process alive until
   * then. Never rejects.
   */
  flush(): Promise<void>;
}

interface Delivery {
  readonly message: WebhookMessage;
  attempts: number;
}

const FIRST_DELAY_MS = 1_000;
/** No receiver is waited for longer, whatever it asks for. */
const MAX_DELAY_MS = 600_000;

/**
 * Posts events to a URL, one after the other, signed as Standard Webhooks has it. What is not taken is
 * sent again, later and later. Nothing that goes wrong reaches the guard, or a call. A receiver that is
 * away keeps no process alive that is otherwise done: `flush()` does.
 *
 * @throws ConfigError for a URL or a secret that is none.
 */
export function webhook(options: WebhookOptions): Webhook {
  const { filter = isThreshold, maxQueue = 1_000 } = options;
  const deliver = deliveryOf(options);
  const onFailure = failurePort(options.onFailure);
  const now = options.now ?? Date.now;
  const waiting = new Set<Delivery>();
  let isOver = false;
  const onExit = (): void => {
    isOver = true;
    for (const { message, attempts } of waiting) {
      onFailure({ event: message.event, reason: 'exit', attempts, status: null });
    }
  };
  let last: Promise<void> = Promise.resolve();
  const messageOf = (event: GuardEvent): WebhookMessage | undefined => {
    const giveUp = (reason: WebhookFailure['reason'], cause: { error?: unknown } = {}): undefined =>
      void onFailure({ event, reason, attempts: 0, status: null, ...cause });
    try {
      if (!filter(event)) return undefined;
      if (isOver) return giveUp('exit');
      return waiting.size < maxQueue ? webhookMessage(event, now()) : giveUp('queue-full');
    } catch (error) {
      return giveUp('unsendable', { error });
    }
  };
  const hear = (event: GuardEvent): void => {
    const message = messageOf(event);
    if (message === undefined) return;
    const delivery = { message, attempts: 0 };
    waiting.add(delivery);
    watchExit(onExit);
    last = last.then(async () => {
      const failure = await deliver(delivery);
      waiting.delete(delivery);
      if (waiting.size === 0) unwatchExit(onExit);
      if (failure !== undefined) onFailure(failure);
    });
  };
  return Object.assign(hear, { flush: () => keptAlive(last) });
}

/** Sends a message until it is taken, or says why that is not to be. */
function deliveryOf(
  options: WebhookOptions,
): (delivery: Delivery) => Promise<WebhookFailure | undefined> {
  const target = targetOf(options);
  const { maxAttempts = 8, wait = timer } = options;
  return async (delivery) => {
    const { message } = delivery;
    for (;;) {
      delivery.attempts += 1;
      const { attempts } = delivery;
      const result = await attemptDelivery(target, message);
      if (result.outcome === 'taken') return undefined;
      const { status, error } = result;
      const figures = { attempts, status, ...(error === undefined ? {} : { error }) };
      const failure = { event: message.event, ...figures };
      if (result.outcome === 'refused') return { ...failure, reason: 'refused' };
      if (attempts >= maxAttempts) return { ...failure, reason: 'unreachable' };
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
  const { username, password } = new URL(url);
  if (`${username}${password}` !== '') {
    throw new ConfigError(
      '`url` of a webhook has a user name or a password, which errors would show, and which fetch does ' +
        'not take. Send them by `headers`: { authorization: "Basic …" }.',
    );
  }
  return { url, key, headers, timeoutMs, now, fetch: options.fetch ?? globalThis.fetch };
}

function isThreshold({ type }: GuardEvent): boolean {
  return type === 'threshold-crossed';
}

/** Does not keep the process alive. */
function timer(ms: number): Promise<void> {
  return new Promise((done) => {
    setBackgroundTimer(done, ms);
  });
}

async function keptAlive(done: Promise<void>): Promise<void> {
  const alive = setInterval(() => {}, MAX_DELAY_MS);
  await done;
  clearInterval(alive);
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
