import { readFileSync } from 'node:fs';
import { Redis } from 'ioredis';
import { afterAll, describe, expect, test } from 'vitest';
import { scriptsModule } from '../flatten-scripts.ts';
import * as scripts from '../src/scripts.ts';
import { RedisServer } from './support/redis-server.ts';

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
    if (flagged !== undefined) {
      expect(await client.script('LOAD', flagged.text)).toBe(flagged.sha);
    }
  });

  test('turns no number into text but by %.0f, which is exact', () => {
    expect(text).not.toMatch(/tostring|cjson/);
    for (const [pattern] of text.matchAll(/format\('[^']*'/g)) expect(pattern).toMatch(/%\.0f/);
  });
});
