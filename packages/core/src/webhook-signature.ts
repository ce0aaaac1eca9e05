import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { ConfigError } from './errors.ts';

const PREFIX = 'whsec_';
const LEAST_BYTES = 24;
const MOST_BYTES = 64;

/**
 * The key in a secret of Standard Webhooks: `whsec_` and the base64 of 24 to 64 random bytes.
 *
 * @throws ConfigError for anything else; the message does not show it.
 */
export function signingKey(secret: string): Uint8Array {
  const key = bytesOf(secret);
  if (key !== undefined && key.length >= LEAST_BYTES && key.length <= MOST_BYTES) return key;
  throw new ConfigError(
    `\`secret\` of a webhook is "${PREFIX}" and the base64 of ${LEAST_BYTES} to ${MOST_BYTES} random ` +
      'bytes. Make one with: echo "whsec_$(openssl rand -base64 32)".',
  );
}

/** The value of `webhook-signature`, by Standard Webhooks 1.0.0 ("Signature scheme", symmetric). */
export function signatureOf(key: Uint8Array, id: string, timestamp: number, body: string): string {
  const digest = hmac(sha256, key, utf8ToBytes(`${id}.${timestamp}.${body}`));
  return `v1,${btoa(String.fromCharCode(...digest))}`;
}

function bytesOf(secret: unknown): Uint8Array | undefined {
  if (typeof secret !== 'string' || !secret.startsWith(PREFIX)) return undefined;
  try {
    return Uint8Array.from(atob(secret.slice(PREFIX.length)), (char) => char.charCodeAt(0));
  } catch {
    return undefined;
  }
}
