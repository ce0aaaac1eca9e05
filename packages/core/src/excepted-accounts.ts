import type { BoundAccount } from './bound-budgets.ts';
import type { CallBinder } from './call-binder.ts';
import type { Identity } from './identity.ts';

/** Thrown where limits have to be asked for before anybody can be bound; `pending` is for that. */
export class LimitsPending extends Error {
  readonly pending: Promise<unknown>;
  /** Ms since the epoch. */
  readonly at: number;

  constructor(pending: readonly Promise<void>[], at: number) {
    super('Limits are being asked for.');
    this.at = at;
    this.pending = Promise.all(pending);
    // Whoever waits for it is told.
    this.pending.catch(() => {});
  }
}

/** Accounts under the terms that they have for an identity, as soon as all of those are known. */
export async function exceptedAccounts(
  binder: CallBinder,
  accounts: readonly BoundAccount[],
  identity: Identity,
): Promise<BoundAccount[]> {
  for (let since: number | undefined; ; ) {
    try {
      return binder.except([...accounts], identity, since);
    } catch (error) {
      if (!(error instanceof LimitsPending)) throw error;
      since ??= error.at;
      await error.pending;
    }
  }
}
