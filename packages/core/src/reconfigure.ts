import type { AmbientIdentity } from './ambient-identity.ts';
import { CallBinder } from './call-binder.ts';
import { ConfigError } from './errors.ts';
import type { SpendGuardOptions, SpendGuardTerms } from './guard-options.ts';
import type { SinkPort } from './sink-port.ts';

/** What a guard is made with and keeps. */
const FOR_LIFE = [
  ...(['sink', 'onEvent', 'now', 'reservationTtlMs', 'maxCallMs'] as const),
  ...(['unsentLimit', 'journal', 'timeoutMs', 'waitForHeadroomMs'] as const),
];

/** The latest change of each guard, by what its binders share: one is not overtaken by the next. */
const changes: WeakMap<AmbientIdentity, Promise<unknown>> = new WeakMap();

/**
 * A binder with other terms, in the asynchronous contexts of the one before. It has met nobody yet: what
 * was remembered of callers is forgotten with the binder that remembered it.
 *
 * @throws ConfigError for terms that are not valid, or that a running guard cannot take.
 */
export async function reconfigured(
  binder: CallBinder,
  terms: SpendGuardTerms,
  port: SinkPort,
): Promise<CallBinder> {
  const before = changes.get(binder.ambient);
  const change = changed(binder, terms, port, before);
  changes.set(
    binder.ambient,
    change.catch(() => {}),
  );
  return change;
}

async function changed(
  binder: CallBinder,
  terms: SpendGuardTerms,
  port: SinkPort,
  earlier: Promise<unknown> | undefined,
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
  const exceptions = await next.exceptions;
  await earlier;
  await port.opening;
  if (exceptions === null) return next;
  if (port.wrapper === null) await port.wrap(exceptions);
  else port.wrapper.adopt(exceptions, port);
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
