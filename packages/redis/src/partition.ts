import { ConfigError } from '@hardcap/core';
import { digestOf } from './account-text.ts';
import { type StoreKeys, storeKeys } from './store-keys.ts';

/** Which store has which account, where a namespace has several. */
export interface Partitioning {
  /** The partition of an account; null where it is above them. */
  nameOf(account: string): string | null;
  /** Keys of the store of a partition; with null, of the one above them. */
  keysOf(name: string | null): StoreKeys;
  /** The key under which the names of all partitions are, in the slot of the store above them. */
  readonly registry: string;
}

const MOST_REMEMBERED = 10_000;
/** What may be in a hash tag as it is. */
const PLAIN = /^[\w.:@/+~%-]{1,64}$/;
const DIMENSION = /^[A-Za-z0-9][\w.-]{0,63}$/;

/**
 * Partitions by the values of dimensions, which are read from account keys: `org-daily|org=acme` is in
 * that of `org=acme`. An account that lacks one of the dimensions is above the partitions.
 */
export class Partition implements Partitioning {
  readonly registry: string;
  readonly #base: string;
  readonly #dimensions: readonly string[];
  readonly #names: Map<string, string | null> = new Map();

  /** @throws ConfigError for dimensions that are none. */
  constructor(namespace: string, dimensions: readonly string[]) {
    checkDimensions(dimensions);
    this.#dimensions = dimensions;
    this.#base = `${namespace}|`;
    const { books } = this.keysOf(null);
    this.registry = books.replace(/books$/, 'partitions');
  }

  nameOf(account: string): string | null {
    const known = this.#names.get(account);
    if (known !== undefined) return known;
    if (this.#names.size >= MOST_REMEMBERED) this.#names.clear();
    const name = this.#read(account);
    this.#names.set(account, name);
    return name;
  }

  keysOf(name: string | null): StoreKeys {
    return storeKeys(this.#base + (name ?? this.#dimensions.join('|')));
  }

  #read(account: string): string | null {
    const parts = account.split('|').slice(1);
    const values: string[] = [];
    for (const dimension of this.#dimensions) {
      const part = parts.find((each) => each.startsWith(`${dimension}=`));
      if (part === undefined) return null;
      const value = part.slice(dimension.length + 1);
      // Two values with one digest share a store, which keeps their accounts apart.
      values.push(`${dimension}=${PLAIN.test(value) ? value : `#${digestOf(value)}`}`);
    }
    return values.join('|');
  }
}

function checkDimensions(dimensions: readonly string[]): void {
  const isList = Array.isArray(dimensions) && dimensions.length > 0;
  const isNamed = isList && dimensions.every((each) => DIMENSION.test(each));
  if (isNamed && new Set(dimensions).size === dimensions.length) return;
  throw new ConfigError(
    `redis: \`partitionBy\` is ${JSON.stringify(dimensions)}. Give the dimensions of the identity that ` +
      "a call's budgets have in common, each once, such as ['org']; leave it out for one store.",
  );
}
