import * as z from 'zod';
import { limitSchema, windowSchema } from './budget.ts';
import { guardConfigSchema } from './guard-config.ts';
import { optionFields } from './guard-options.ts';
import { unknownModelSchema } from './price-config.ts';

type JsonSchema = Record<string, unknown>;

const reference = { type: 'string', pattern: '\\$\\{' };
const decimal = { type: 'string', pattern: '^\\d+(\\.\\d*)?$|\\$\\{' };
const amount = { anyOf: [{ type: 'integer', minimum: 1 }, { const: 'unlimited' }, reference] };
const duration = { type: 'string', pattern: '^\\d+(ms|s|m|h|d|w)$|\\$\\{' };

function object(properties: JsonSchema, ...required: string[]): JsonSchema {
  return { type: 'object', properties, required, additionalProperties: false };
}

const LIMIT = {
  anyOf: [
    object({ usd: { anyOf: [decimal, { const: 'unlimited' }] } }, 'usd'),
    object({ tokens: amount, count: { enum: ['total', 'input', 'output', 'uncached'] } }, 'tokens'),
    object({ requests: amount }, 'requests'),
    object({ concurrent: { anyOf: [{ type: 'integer', minimum: 1 }, reference] } }, 'concurrent'),
    { const: 'unlimited' },
  ],
};

const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const WINDOW = {
  anyOf: [
    { const: 'total' },
    object({ fixed: duration }, 'fixed'),
    object(
      {
        calendar: { enum: ['day', 'week', 'month', 'quarter', 'year'] },
        timeZone: { type: 'string', default: 'UTC' },
        anchorDay: { anyOf: [{ type: 'integer', minimum: 1, maximum: 31 }, reference] },
        weekStart: { enum: WEEKDAYS },
      },
      'calendar',
    ),
    object({ rolling: duration, resolution: duration }, 'rolling'),
  ],
};

const ESTIMATE = {
  anyOf: [
    { enum: ['ceiling', 'none'] },
    object({ fixed: object({ usd: decimal }, 'usd') }, 'fixed'),
  ],
};

const price = { type: 'string', pattern: '^\\d+(\\.\\d+)?$|\\$\\{' };
const UNKNOWN_MODEL = {
  anyOf: [
    { const: 'uncounted' },
    object({ ceiling: object({ input: price, output: price }, 'input', 'output') }, 'ceiling'),
    reference,
  ],
};

/** What zod cannot say, since it is code that decides. */
const BY_HAND: ReadonlyMap<unknown, JsonSchema> = new Map<unknown, JsonSchema>([
  [limitSchema, LIMIT],
  [windowSchema, WINDOW],
  [optionFields.estimate, ESTIMATE],
  [unknownModelSchema, UNKNOWN_MODEL],
  [optionFields.journal, { type: 'string', minLength: 1 }],
]);

/** Shown by editors. */
const DESCRIPTIONS: Readonly<Record<string, string>> = {
  budgets: 'The rules. Every budget that binds a call must be able to carry it.',
  name: "Part of the account's key: renaming starts a new account.",
  per: 'Dimensions of the identity: one account for each combination of values; [] is one for all.',
  limit: 'One unit: usd (in quotes), tokens, requests or concurrent; `unlimited` only counts.',
  window: 'When the budget starts anew: fixed, calendar, rolling, or total for never.',
  match: 'Binds only calls whose dimensions match; * stands for any characters.',
  warnAt: 'Shares of the limit that raise threshold-crossed: 0.8 is 80 %.',
  attribute: 'Which window pays for a call that outlives one: reserve (default) or settle.',
  onExpiry: 'What becomes of a hold that nobody settled: charge (default) or release.',
  onUnknown:
    'What a call is charged when nobody knows whether it ran: charge (default) or release.',
  block: 'Refuses every call.',
  mode: 'enforce (default), or shadow: decides and reports, and refuses nothing.',
  onSinkError: 'What becomes of calls while the sink is away: deny (default) or allow.',
  rollover: 'The most of its limit that a window leaves to the next one. Nothing by default.',
  emergencyLimit: 'The most that each account may spend while the sink is away, in each process.',
  exempt: 'Identities that the budget does not bind; what they spend is still counted.',
  identity: 'Dimensions of every call, where the call or its context says nothing else.',
  unbudgeted: 'What becomes of a call that no budget binds: deny (default) or allow.',
  estimate: 'How much a call holds: ceiling (default), none, or { fixed: { usd: "0.02" } }.',
  secrets: 'Further dimensions whose values are hashed wherever they could show; apiKey always is.',
  reservationTtlMs: 'A hold expires so long after it was last kept alive. 120000 by default.',
  maxCallMs: 'A call that runs longer is no longer kept alive. 3600000 by default.',
  timeoutMs: 'A sink that takes longer to answer is away. 1000 by default.',
  waitForHeadroomMs: 'How long a call waits for what open calls hold. 0 by default.',
  unsentLimit: 'How many settlements are kept for a sink that does not answer. 10000 by default.',
  journal: 'A file for settlements that the sink has not been told of yet.',
  prices: 'Options for createPriceBook() of @hardcap/prices: USD per million tokens, in quotes.',
  overrides:
    'Of a budget: other limits for identities that match. Of prices: your own, by provider/model.',
  aliases: 'Models under names of your own: { azure/my-deployment: openai/gpt-5.1 }.',
  free: 'Models that cost nothing, such as ollama/*.',
  unknownModel:
    'Models without a price: the most that a token of them can cost, or uncounted by budgets in USD.',
  multipliers: 'Factors on the rates of the table: { azure/*: "1.1", "openai/*@priority": "2" }.',
};

/** The JSON Schema of a configuration file, for editors and validators. */
export function configJsonSchema(): JsonSchema {
  const { $schema, ...schema } = z.toJSONSchema(guardConfigSchema, {
    target: 'draft-7',
    io: 'input',
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }) {
      const inner = zodSchema instanceof z.ZodOptional ? zodSchema.unwrap() : zodSchema;
      Object.assign(jsonSchema, BY_HAND.get(zodSchema) ?? BY_HAND.get(inner));
    },
  });
  const title = 'Configuration of a hardcap guard';
  return { $schema, title, ...(finished(schema) as JsonSchema) };
}

/** The same with descriptions, and with references to the environment wherever there is a value. */
function finished(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(finished);
  if (typeof part !== 'object' || part === null || 'anyOf' in part) return part;
  const { properties, ...others } = part as JsonSchema & { properties?: JsonSchema };
  const done = Object.fromEntries(
    // Keys have no references.
    Object.entries(others).map(([key, value]) => [
      key,
      key === 'propertyNames' ? value : finished(value),
    ]),
  );
  if (properties !== undefined) return { ...done, properties: described(properties) };
  return isValue(done) ? { anyOf: [done, reference] } : done;
}

function described(properties: JsonSchema): JsonSchema {
  const fields = Object.entries(properties).map(([name, field]) => {
    const description = DESCRIPTIONS[name];
    const schema = finished(field) as JsonSchema;
    return [name, description === undefined ? schema : { description, ...schema }];
  });
  return Object.fromEntries(fields);
}

/** Whether a schema takes less than any text. */
function isValue({ type, pattern, enum: words }: JsonSchema): boolean {
  if (type === 'string') return pattern !== undefined || words !== undefined;
  return type === 'number' || type === 'integer' || type === 'boolean';
}
