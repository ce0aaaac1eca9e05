import { readdirSync, readFileSync } from 'node:fs';
import { checkConfig, loadConfig } from '@hardcap/core/config';
import { createPriceBook } from '@hardcap/prices';
import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');
const schema = JSON.parse(read('../../packages/core/schema/hardcap.schema.json'));
const validate = new Ajv({ allowUnionTypes: true }).compile(schema);
const files = readdirSync(new URL('.', import.meta.url)).filter((name) => name.endsWith('.yaml'));

// Gates that stand open without their store are what that system wants.
const MEANT = new Map([['three-tiers.yaml', 'outage-unlimited']]);

test.each(files)('%s is valid by the schema, and has no finding but what is meant', (file) => {
  expect([validate(parse(read(file))), validate.errors]).toEqual([true, null]);
  const config = loadConfig(read(file), { environment: {}, file });
  const dimensions = [...new Set(config.budgets.flatMap(({ per }) => per))];
  const models = Object.keys(config.prices?.overrides ?? {});
  const prices = createPriceBook(config.prices);
  const findings = checkConfig(config, { prices, models, dimensions });
  expect(findings.filter(({ code }) => code !== MEANT.get(file))).toEqual([]);
});
