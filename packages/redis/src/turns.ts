/** Lets one thing at a time be done about an id. */
export class Turns {
  readonly #last: Map<string, Promise<unknown>> = new Map();

  async take<Result>(id: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(id);
    // What went wrong before is told to whom it was done for.
    const mine = before === undefined ? work() : before.then(work, work);
    this.#last.set(id, mine);
    try {
      return await mine;
    } finally {
      if (this.#last.get(id) === mine) this.#last.delete(id);
    }
  }
}
