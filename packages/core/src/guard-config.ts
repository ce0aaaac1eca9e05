import * as z from 'zod';
import { type Budget, budgetsSchema } from './budget.ts';
import type { Estimate } from './call-request.ts';
import { optionFields, type SpendGuardOptions } from './guard-options.ts';
import { fieldsOf, type PriceConfig, priceConfigSchema } from './price-config.ts';

type Serialisable = Pick<
  SpendGuardOptions,
  | 'identity'
  | 'unbudgeted'
  | 'secrets'
  | 'reservationTtlMs'
  | 'maxCallMs'
  | 'timeoutMs'
  | 'waitForHeadroomMs'
  | 'unsentLimit'
  | 'journal'
>;

/**
 * What a file can say about a guard: all options that are data. The rest is given in code:
 *
 *     createSpendGuard({ ...config, prices: createPriceBook(config.prices) })
 */
export interface GuardConfig extends Serialisable {
  readonly budgets: readonly Budget[];
  readonly estimate?: Estimate;
  /** For `createPriceBook` of `@hardcap/prices`; left out where the file says nothing of prices. */
  readonly prices?: PriceConfig;
}

const { identity, unbudgeted, estimate, secrets } = optionFields;
const { reservationTtlMs, maxCallMs, timeoutMs, waitForHeadroomMs, unsentLimit, journal } =
  optionFields;

export const guardConfigSchema: z.ZodType<unknown> = fieldsOf('a configuration', {
  // For editors: `"$schema"` in JSON.
  $schema: z.string({ error: 'write the address of the schema' }).optional(),
  budgets: budgetsSchema,
  identity,
  unbudgeted,
  estimate,
  secrets,
  reservationTtlMs,
  maxCallMs,
  timeoutMs,
  waitForHeadroomMs,
  unsentLimit,
  journal,
  prices: priceConfigSchema.optional(),
});
