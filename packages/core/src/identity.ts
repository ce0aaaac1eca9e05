import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { InvalidArgumentError } from './errors.ts';

/** Who calls: dimension -> id, such as `{ org: 'acme', user: 'u1', run: 'r9' }`. */
export type Identity = Readonly<Record<string, string>>;

const MAX_VALUE_LENGTH = 256;
// Everything that could be taken for a separator of an account key, or that a terminal would not show;
// and halves of surrogate pairs, which are all the same character once a store has them as UTF-8.
const SPECIAL = /[^A-Za-z0-9._:@/+~\-\u0080-\ud7ff\ue000-\u{10ffff}]/u;
const HASH_DIGITS = 16;

/**
 * Checks an identity and replaces the values of secret dimensions by the first 16 hex digits of
 * their SHA-256, so that no key, error, label or ledger entry can hold them.
 *
 * @throws InvalidArgumentError for a value that is no string of 1 to 256 characters.
 */
export function checkedIdentity(identity: Identity, secrets: ReadonlySet<string>): Identity {
  let checked = identity;
  for (const dimension in identity) {
    const value: unknown = identity[dimension];
    if (typeof value !== 'string' || value.length === 0 || value.length > MAX_VALUE_LENGTH) {
      throw new InvalidArgumentError(
        `Dimension "${dimension}" of the identity is a string of 1 to ${MAX_VALUE_LENGTH} characters; ` +
          `this one is ${typeof value === 'string' ? `${value.length} characters long` : typeof value}.`,
      );
    }
    if (secrets.has(dimension)) checked = { ...checked, [dimension]: hashed(value) };
  }
  return checked;
}

function hashed(secret: string): string {
  return bytesToHex(sha256(utf8ToBytes(secret))).slice(0, HASH_DIGITS);
}

/**
 * The key of the account of a budget for these values of its dimensions, such as
 * `user-daily|user=u1`; undefined when the identity lacks one of them.
 */
export function accountKey(
  budget: string,
  per: readonly string[],
  identity: Identity,
): string | undefined {
  let key = budget;
  for (const dimension of per) {
    const value = identity[dimension];
    if (value === undefined) return undefined;
    key += `|${dimension}=${SPECIAL.test(value) ? escaped(value) : value}`;
  }
  return key;
}

function escaped(value: string): string {
  return [...value]
    .map((char) =>
      SPECIAL.test(char) ? `%${char.charCodeAt(0).toString(16).padStart(2, '0')}` : char,
    )
    .join('');
}
