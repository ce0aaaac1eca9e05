/** Version of what is stored. Another one has other keys, so that two can run side by side. */
const SCHEMA = 3;

/** The keys of a namespace, all in one slot of a cluster. */
export interface StoreKeys {
  readonly books: string;
  readonly due: string;
  readonly ledger: string;
}

export function storeKeys(namespace: string): StoreKeys {
  const key = (name: string) => `{hardcap:${namespace}}:${SCHEMA}:${name}`;
  return { books: key('books'), due: key('due'), ledger: key('ledger') };
}
