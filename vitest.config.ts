import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const packages = readdirSync(new URL('packages', import.meta.url));

const redisServer = fileURLToPath(new URL('scripts/redis-server.mjs', import.meta.url));
const usesRedis = ['redis', 'test'];

const project = (name: string, root: string) => ({
  extends: true as const,
  test: {
    name,
    root,
    include: root === 'test' ? ['**/*.test.ts'] : ['test/**/*.test.ts'],
    globalSetup: usesRedis.includes(name) ? [redisServer] : [],
  },
});

export default defineConfig({
  test: {
    // Many tests wait for servers and processes: one worker on two cores would mostly wait, too.
    maxWorkers: 2,
    testTimeout: 10_000,
    hookTimeout: 20_000,
    projects: [
      ...packages.map((name) => project(name, `packages/${name}`)),
      project('test', 'test'),
    ],
  },
});
