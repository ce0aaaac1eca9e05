import { readdirSync, readFileSync } from 'node:fs';
import { Redis } from 'ioredis';
import { afterAll, describe, expect, test } from 'vitest';
import { scriptsModule } from '../flatten-scripts.ts';
import * as scripts from '../src/scripts.ts';
import { RedisServer } from './support/redis-server.ts';
import { TAKES_FLAGS } from './support/server-version.ts';

const server = await RedisServer.start();
const client = new Redis(server.port);

afterAll(async () => {
  await client.quit();
  await server.stop();
});

test('src/scripts.ts is what the Lua files are put together to', () => {
  const kept = readFileSync(new URL('../src/scripts.ts', import.meta.url), 'utf8');
  expect(kept, 'run `npm run scripts` in packages/redis').toBe(scriptsModule());
});

describe.each(Object.values(scripts))('$name', ({ sha, text, flagged }) => {
  test('is known to a server by the digest that is kept', async () => {
    expect(await client.script('LOAD', text)).toBe(sha);
    if (flagged === undefined) return;
    const loaded = client.script('LOAD', flagged.text);
    if (TAKES_FLAGS) expect(await loaded).toBe(flagged.sha);
    else await expect(loaded).rejects.toThrow("unexpected symbol near '#'");
  });

  test('turns no number into text but by %.0f, which is exact', () => {
    expect(text).not.toMatch(/tostring|cjson/);
    for (const [pattern] of text.matchAll(/format\('[^']*'/g)) expect(pattern).toMatch(/%\.0f/);
  });
});

const folder = new URL('../src/lua/', import.meta.url);
const verbs = readdirSync(folder).filter((file) => file.endsWith('.lua'));

test.each(verbs)('%s names its keys, its arguments and its answers', (file) => {
  const lines = readFileSync(new URL(file, folder), 'utf8').split('\n');
  const end = lines.findIndex((line) => !line.startsWith('-- ') && line !== '--');
  const [head, body] = [lines.slice(0, end).join('\n'), lines.slice(end).join('\n')];
  expect(head).toContain('KEYS');
  for (const [argument, place] of body.matchAll(/ARGV\[(\d+)\]/g)) {
    if (Number(place) > 4) expect(head).toContain(argument);
  }
  for (const [, status] of body.matchAll(/return \{ '([a-z]+)'/g)) {
    expect(head).toContain(`'${status}'`);
  }
});
