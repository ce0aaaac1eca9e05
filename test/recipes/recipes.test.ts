import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkConfig, loadConfig } from '@hardcap/core/config';
import { createPriceBook } from '@hardcap/prices';
import { Ajv } from 'ajv';
import { afterAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type Recipe, readRecipes } from './read-recipe.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const path = (file: string): string => join(root, file);
const folder = mkdtempSync(path('test/recipes/.run-'));
afterAll(() => rmSync(folder, { recursive: true }));

const recipes = readRecipes();
const validate = new Ajv({ allowUnionTypes: true }).compile(
  JSON.parse(readFileSync(path('packages/core/schema/hardcap.schema.json'), 'utf8')),
);

function folderOf({ name }: Recipe): string {
  return join(folder, name.replace('.md', ''));
}

for (const recipe of recipes) {
  mkdirSync(folderOf(recipe));
  writeFileSync(join(folderOf(recipe), 'hardcap.yaml'), recipe.yaml);
  writeFileSync(join(folderOf(recipe), 'main.ts'), recipe.code);
}

describe.each(recipes.map((recipe) => [recipe.name, recipe] as const))('%s', (name, recipe) => {
  test('has a configuration that is valid, names its schema, and has no findings', () => {
    expect(recipe.yaml).toMatch(/^# yaml-language-server: \$schema=\S+hardcap\.schema\.json\n/);
    expect([validate(parse(recipe.yaml)), validate.errors]).toEqual([true, null]);
    const config = loadConfig(recipe.yaml, { file: name });
    const dimensions = [...new Set(config.budgets.flatMap(({ per }) => per))];
    const models = Object.keys(config.prices?.overrides ?? {});
    const prices = createPriceBook(config.prices);
    expect(models).toHaveLength(2);
    expect(checkConfig(config, { prices, models, dimensions })).toEqual([]);
  });

  test('does what it says', () => {
    const noon = fileURLToPath(new URL('noon.mjs', import.meta.url));
    const { stdout, stderr, status } = spawnSync(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', '--import', noon, 'main.ts'],
      { cwd: folderOf(recipe), encoding: 'utf8' },
    );
    expect([stderr, status]).toEqual(['', 0]);
    expect(stdout).toBe(recipe.output);
  });
});

test('the code of all recipes has sound types', { timeout: 60_000 }, () => {
  const options = { noUnusedLocals: true, types: ['node'] };
  const config = {
    extends: path('tsconfig.base.json'),
    compilerOptions: options,
    include: ['**/*.ts'],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const { stdout, status } = spawnSync(
    process.execPath,
    [path('node_modules/typescript/bin/tsc'), '-p', folder],
    { encoding: 'utf8' },
  );
  expect([stdout, status]).toEqual(['', 0]);
});

test('the table of recipes has them all', () => {
  const table = readFileSync(path('docs/recipes/README.md'), 'utf8');
  const named = [...table.matchAll(/\]\(([\w-]+\.md)\)/g)].map(([, file]) => file);
  expect([...new Set(named)].sort()).toEqual(recipes.map(({ name }) => name).sort());
});
