import type { BoundAccount } from './bound-budgets.ts';
import type { CallBinder } from './call-binder.ts';
import type { Identity } from './identity.ts';

/** Thrown where limits have to be asked for before anybody can be bound; `pending` is for that. */
export class LimitsPending extends Error {
  readonly pending: Promise<unknown>;

  constructor(pending: readonly Promise<void>[]) {
    super('Limits are being asked for.');
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
  for (;;) {
    try {
      return binder.except([...accounts], identity);
    } catch (error) {
      if (!(error instanceof LimitsPending)) throw error;
      await error.pending;
    }
  }
}
