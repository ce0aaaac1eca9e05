import { InvalidArgumentError } from './errors.ts';
import { isAmount } from './money.ts';
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
