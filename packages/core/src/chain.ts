/** A member of at most one {@link Chain}. */
export interface Link {
  previous: Link | null;
  next: Link | null;
}

/**
 * A queue whose members can leave from anywhere in constant time and without allocation: what a Set
 * does for many times the price, on a path where every call joins and leaves.
 */
export class Chain<Member extends Link> {
  #first: Member | null = null;
  #last: Member | null = null;

  get first(): Member | null {
    return this.#first;
  }

  append(member: Member): void {
    member.previous = this.#last;
    member.next = null;
    if (this.#last === null) this.#first = member;
    else this.#last.next = member;
    this.#last = member;
  }

  /** Takes a member out; what is not in the chain is left alone. */
  remove(member: Member): void {
    const { previous, next } = member as { previous: Member | null; next: Member | null };
    if (previous === null && this.#first !== member) return;
    if (previous === null) this.#first = next;
    else previous.next = next;
    if (next === null) this.#last = previous;
    else next.previous = previous;
    member.previous = null;
    member.next = null;
  }

  *[Symbol.iterator](): Generator<Member> {
    let member = this.#first;
    while (member !== null) {
      // Read first: the member may leave while the caller looks at it.
      const next = member.next as Member | null;
      yield member;
      member = next;
    }
  }
}
