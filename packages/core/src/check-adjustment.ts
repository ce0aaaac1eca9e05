import { InvalidArgumentError } from './errors.ts';
import { isAmount, MAX_AMOUNT } from './money.ts';
import { AMOUNT, checkId } from './sink-request.ts';
import { type Adjustment, type CorrectionCharge, MAX_CLAIMS } from './usage-sink.ts';

/** @throws InvalidArgumentError for an amount, limit or time out of range. */
export function checkAdjustment(change: Adjustment): void {
  if (change.type === 'correction') {
    checkId(change.reservation);
    checkCorrection(change.charges);
    return;
  }
  const amount = 'amount' in change ? change.amount : 'limit' in change ? (change.limit ?? 0) : 0;
  if (!isAmount(amount)) throw new InvalidArgumentError(`${AMOUNT}; this one is ${amount}.`);
  const until = 'until' in change ? change.until : null;
  if (until === null || Number.isSafeInteger(until)) return;
  throw new InvalidArgumentError(
    `\`until\` is a time in ms since the epoch, or null for good; this one is ${until}.`,
  );
}

/** @throws InvalidArgumentError where the top-ups of a window would come to more than an amount may be. */
export function checkTopUp(change: Adjustment, before: number): void {
  if (change.type !== 'top-up' || isAmount(before + change.amount)) return;
  throw new InvalidArgumentError(
    `Top-ups of a window come to at most ${MAX_AMOUNT} together; this one has ${before}, and was to get ` +
      `${change.amount} more. To take the limit away, set it to \`unlimited\`.`,
  );
}

function checkCorrection(charges: readonly CorrectionCharge[]): void {
  if (charges.length > MAX_CLAIMS) {
    throw new InvalidArgumentError(
      `A correction has at most ${MAX_CLAIMS} charges; this one has ${charges.length}.`,
    );
  }
  for (const { account, amount } of charges) {
    if (isAmount(Math.abs(amount))) continue;
    throw new InvalidArgumentError(`${AMOUNT}, or below 0; ${account} was to get ${amount}.`);
  }
}
