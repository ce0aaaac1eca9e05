import { CallBinder } from './call-binder.ts';
import { ConfigError } from './errors.ts';
import type { SpendGuardOptions, SpendGuardTerms } from './guard-options.ts';

/** What a guard is made with and keeps. */
const FOR_LIFE = [
  ...(['sink', 'onEvent', 'now', 'reservationTtlMs', 'maxCallMs'] as const),
  ...(['unsentLimit', 'journal', 'timeoutMs', 'waitForHeadroomMs'] as const),
];

/**
 * A binder with other terms, in the asynchronous contexts of the one before. It has met nobody yet: what
 * was remembered of callers is forgotten with the binder that remembered it.
 *
 * @throws ConfigError for terms that are not valid, or that a running guard cannot take.
 */
export async function reconfigured(
  binder: CallBinder,
  terms: SpendGuardTerms,
): Promise<CallBinder> {
  const before = binder.options;
  const given: Partial<SpendGuardOptions> = terms ?? {};
  for (const name of FOR_LIFE) {
    if (given[name] === undefined || given[name] === before[name]) continue;
    throw new ConfigError(
      `\`${name}\` is chosen when a guard is made, and this one was made with another. ` +
        'Leave it out, or make a new guard.',
    );
  }
  const kept = Object.fromEntries(FOR_LIFE.map((name) => [name, before[name]]));
  const prices = given.prices ?? before.prices;
  const options = { ...terms, ...kept, ...(prices && { prices }) };
  const next = new CallBinder(options, binder.ambient);
  checkUnits(binder, next);
  if (binder.exceptions === null && next.exceptions !== null) {
    throw new ConfigError(
      'A budget with `overrides`, `exempt`, `mode` or `onSinkError` needs a guard that was made with ' +
        "one. Make a new guard, or write `mode: 'enforce'` on one of its budgets from the start.",
    );
  }
  await next.exceptions;
  return next;
}

/** What was spent in one unit must not be compared with a limit in another. */
function checkUnits({ rules: before }: CallBinder, { rules }: CallBinder): void {
  for (const { budget, unit, tokenCount } of rules) {
    const known = before.find((rule) => rule.budget === budget);
    if (known === undefined || (known.unit === unit && known.tokenCount === tokenCount)) continue;
    const counted = (of: { unit: string; tokenCount: string }): string =>
      of.unit === 'tokens' ? `tokens (${of.tokenCount})` : of.unit;
    throw new ConfigError(
      `Budget "${budget}" counts ${counted(known)}, and would go on in ` +
        `${counted({ unit, tokenCount })} on the same accounts. Give it another name.`,
    );
  }
}
