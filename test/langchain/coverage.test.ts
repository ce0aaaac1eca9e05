import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AGENT_PATHS } from './agent-paths.ts';
import { type CallPath, pathsOf } from './call-paths.ts';
import { LAYERS } from './layers.ts';
import { type Api, MAJORS, type Major } from './majors.ts';
import { scene } from './scene.ts';

const APIS: Readonly<Record<string, Api>> = {
  OpenAI: 'openai chat',
  Anthropic: 'anthropic messages',
};

beforeEach(() => {
  // The framework writes every refusal of a handler to the console.
  vi.spyOn(console, 'error').mockImplementation(() => {});
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** What a layer does about a call that the budget cannot carry. */
async function outcomeOf(major: Major, api: Api, layer: string, path: CallPath): Promise<string> {
  const here = await scene(major, api, { model: 'cent', cap: '0.10', fields: { maxTokens: 20 } });
  const layered = LAYERS[layer]?.(here);
  if (layered === undefined) throw new Error(`There is no layer "${layer}".`);
  await path(layered, major.langchain).catch(() => {});
  if (here.server.exchanges.length > 0) return 'NO';
  return here.events.some(({ type }) => type === 'denied') ? 'yes' : 'not called';
}

async function cellOf(major: Major, layer: string, name: string, path: CallPath): Promise<string> {
  if (layer === 'middleware' && !Object.hasOwn(AGENT_PATHS, name)) return '–';
  const cells: string[] = [];
  for (const api of Object.values(APIS)) cells.push(await outcomeOf(major, api, layer, path));
  const providers = Object.keys(APIS);
  return new Set(cells).size === 1
    ? String(cells[0])
    : providers.map((provider, place) => `${provider}: ${cells[place]}`).join(', ');
}

/** The document, with what the tests have found between two marks each. */
const DOCUMENT = fileURLToPath(new URL('../../docs/langchain.md', import.meta.url));

function withTable(text: string, mark: string, table: string): string {
  const start = `<!-- ${mark} -->\n`;
  const from = text.indexOf(start) + start.length;
  expect(from).toBeGreaterThan(start.length);
  return `${text.slice(0, from)}${table}${text.slice(text.indexOf('<!-- end -->', from))}`;
}

const layers = Object.keys(LAYERS);
const tables = new Map<string, string[]>();

describe.each(MAJORS)('case C-12: $name: what each layer refuses', (major) => {
  const head = [`| path | ${layers.join(' | ')} |`, `|${'---|'.repeat(layers.length + 1)}`];
  const lines = [...head];
  tables.set(major.name, lines);

  it.each(Object.entries(pathsOf(major)))('is measured for %s', async (name, path) => {
    const cells: string[] = [];
    for (const layer of layers) cells.push(await cellOf(major, layer, name, path));
    expect(cells.join()).not.toContain('not called');
    // Whatever is guarded is refused.
    expect(cells[0]).toBe('yes');
    lines.push(`| ${[name, ...cells].join(' | ')} |`);
  });
});

describe('docs/langchain.md', () => {
  it('has the tables that were measured; `vitest -u` writes them', async () => {
    let text = readFileSync(DOCUMENT, 'utf8');
    for (const [name, lines] of tables) text = withTable(text, name, `${lines.join('\n')}\n`);
    await expect(text).toMatchFileSnapshot(DOCUMENT);
  });
});
