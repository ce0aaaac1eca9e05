import * as z from 'zod';

/** Prices of one model, in decimal strings: USD per million tokens, fees in USD per piece. */
export interface RateConfig {
  readonly input: string;
  readonly output: string;
  readonly cacheRead?: string;
  readonly cacheWrite5m?: string;
  readonly cacheWrite1h?: string;
  readonly reasoning?: string;
  readonly audioInput?: string;
  readonly audioOutput?: string;
  readonly fees?: Readonly<Record<string, string>>;
}

/** As {@link RateConfig}, with rates for long inputs and the bounds of the model. */
export interface ModelPriceConfig extends RateConfig {
  readonly tiers?: readonly (RateConfig & { readonly aboveInputTokens: number })[];
  readonly maxOutputTokens?: number;
  readonly contextTokens?: number;
}

/**
 * The options of a price book as plain data, to be handed to `createPriceBook` of `@hardcap/prices`,
 * which checks the models that they name.
 */
export interface PriceConfig {
  /** By `provider/model`. */
  readonly overrides?: Readonly<Record<string, ModelPriceConfig>>;
  readonly aliases?: Readonly<Record<string, string>>;
  readonly free?: readonly string[];
  readonly unknownModel?:
    | 'uncounted'
    | { readonly ceiling: { readonly input: string; readonly output: string } };
  readonly multipliers?: Readonly<Record<string, string>>;
}

const DECIMAL = 'write a plain decimal in quotes, such as "1.25"';
const decimal = z.string({ error: DECIMAL }).regex(/^\d+(\.\d+)?$/, { error: DECIMAL });
const TOKENS = 'write a whole number of tokens above 0';
const tokens = z.number({ error: TOKENS }).int({ error: TOKENS }).min(1, { error: TOKENS });
const NAME = 'write a name such as openai/gpt-5.1';
const modelName = z.string({ error: NAME }).min(1, { error: NAME });

/** An object that takes no fields but these, and says which there are. */
export function fieldsOf<Shape extends z.ZodRawShape>(
  what: string,
  shape: Shape,
): z.ZodObject<Shape, z.core.$strict> {
  const known = Object.keys(shape).join(', ');
  return z.strictObject(shape, {
    error: ({ code, keys }: { code?: string; keys?: unknown }) =>
      code === 'unrecognized_keys'
        ? `there is no ${(keys as string[]).join(', ')} in ${what}; there are ${known}`
        : `write an object: ${what} has ${known}`,
  });
}

const fees = z.record(z.string(), decimal, { error: 'write { webSearch: "0.01" }' });
const rates = {
  input: decimal,
  output: decimal,
  cacheRead: decimal.optional(),
  cacheWrite5m: decimal.optional(),
  cacheWrite1h: decimal.optional(),
  reasoning: decimal.optional(),
  audioInput: decimal.optional(),
  audioOutput: decimal.optional(),
  fees: fees.optional(),
};
const tier = fieldsOf('a tier', { aboveInputTokens: tokens, ...rates });
const override = fieldsOf('a price', {
  ...rates,
  tiers: z.array(tier, { error: 'write a list of tiers' }).optional(),
  maxOutputTokens: tokens.optional(),
  contextTokens: tokens.optional(),
});
const ceiling = fieldsOf('a ceiling', { input: decimal, output: decimal });
const byCeiling = fieldsOf('an unknownModel that is not "uncounted"', { ceiling });
// A union would say that nothing fits, and not what is wrong.
export const unknownModelSchema: z.ZodType<unknown> = z.unknown().superRefine((value, context) => {
  if (value === 'uncounted') return;
  const { error } = byCeiling.safeParse(value);
  for (const issue of error?.issues ?? []) context.addIssue({ ...issue });
});
const byModel = <Value extends z.ZodType>(value: Value, example: string) =>
  z.record(z.string(), value, { error: `write an object such as ${example}` }).optional();

export const priceConfigSchema: z.ZodType<unknown> = fieldsOf('prices', {
  overrides: byModel(override, '{ "openai/my-model": { input: "1.25", output: "10" } }'),
  aliases: byModel(modelName, '{ azure/my-deployment: openai/gpt-5.1 }'),
  free: z.array(modelName, { error: 'write a list of models, such as [ollama/*]' }).optional(),
  unknownModel: unknownModelSchema.optional(),
  multipliers: byModel(decimal, '{ azure/*: "1.1" }'),
});
