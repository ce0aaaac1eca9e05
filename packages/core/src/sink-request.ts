import { InvalidArgumentError } from './errors.ts';
import { isAmount, MAX_AMOUNT } from './money.ts';
import { type Claim, MAX_CLAIMS, MAX_ID_LENGTH, type SettleRequest } from './usage-sink.ts';

export const AMOUNT: string = `An amount is a whole number from 0 to ${MAX_AMOUNT}`;

/** @throws InvalidArgumentError for an id that is empty or too long. */
export function checkId(id: string): void {
  if (typeof id === 'string' && id.length > 0 && id.length <= MAX_ID_LENGTH) return;
  throw new InvalidArgumentError(
    `An id has 1 to ${MAX_ID_LENGTH} characters; this one is ${JSON.stringify(id)}.`,
  );
}

/** @throws InvalidArgumentError for amounts out of range, too many accounts, or one account twice. */
export function checkClaims(claims: readonly Claim[]): void {
  if (claims.length > MAX_CLAIMS) {
    throw new InvalidArgumentError(
      `A call binds at most ${MAX_CLAIMS} accounts; this one binds ${claims.length}. ` +
        'Narrow the budgets with `match`, or merge some of them.',
    );
  }
  for (let index = 0; index < claims.length; index += 1) {
    const { account, amount } = claims[index] as Claim;
    if (!isAmount(amount)) {
      throw new InvalidArgumentError(`${AMOUNT}; ${account.key} was asked for ${amount}.`);
    }
    for (let other = 0; other < index; other += 1) {
      if ((claims[other] as Claim).account.key === account.key) {
        throw new InvalidArgumentError(`A call names the account ${account.key} twice.`);
      }
    }
  }
}

/** @throws InvalidArgumentError for a time to live that is no time. */
export function checkTtl(ttlMs: number): void {
  if (Number.isSafeInteger(ttlMs) && ttlMs > 0) return;
  throw new InvalidArgumentError(
    `A time to live is a whole number of milliseconds from 1; this one is ${ttlMs}.`,
  );
}

/** @throws InvalidArgumentError for an amount out of range. */
export function checkCharges(charges: SettleRequest['charges']): void {
  for (const { account, amount } of charges) {
    if (amount === 'hold' || isAmount(amount)) continue;
    throw new InvalidArgumentError(`${AMOUNT}; ${account} was to be charged ${amount}.`);
  }
}
