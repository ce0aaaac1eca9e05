/**
 * Remembers the latest entries and forgets the oldest in bulk: at least `capacity` of them are kept,
 * at most twice as many. Two generations cost nothing per entry, where a queue would cost a delete.
 */
export class RecentMap<Value> {
  readonly #capacity: number;
  #young = new Map<string, Value>();
  #old = new Map<string, Value>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get(key: string): Value | undefined {
    return this.#young.get(key) ?? this.#old.get(key);
  }

  set(key: string, value: Value): void {
    if (this.#young.size >= this.#capacity) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }
}
