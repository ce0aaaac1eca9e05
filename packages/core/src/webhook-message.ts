import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { GuardEvent } from './event.ts';
import { isoInstant } from './instant.ts';

/** An event as it is sent, as often as it takes. */
export interface WebhookMessage {
  /** Of the event, so that a receiver can tell a repeated delivery from another event. */
  readonly id: string;
  readonly event: GuardEvent;
  readonly body: string;
}

/** @throws TypeError for an event with something in it that is not JSON. */
export function webhookMessage(event: GuardEvent, now: number): WebhookMessage {
  const at = 'at' in event ? event.at : now;
  const payload = { type: `hardcap.${event.type}`, timestamp: isoInstant(at), data: event };
  const body = JSON.stringify(payload, plainError);
  // What happens on a sink has its time, and what it is about: it never happens twice. The rest has not.
  const id = 'at' in event ? bytesToHex(sha256(utf8ToBytes(body))).slice(0, 32) : newId();
  return { id: `hardcap_${id}`, event, body };
}

function newId(): string {
  return crypto.randomUUID().replaceAll('-', '');
}

/** Errors have nothing of their own that JSON would show. */
function plainError(_: string, value: unknown): unknown {
  return value instanceof Error ? { name: value.name, message: value.message } : value;
}
