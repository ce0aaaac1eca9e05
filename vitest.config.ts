import { readdirSync } from 'node:fs';
import { defineConfig } from 'vitest/config';

const packages = readdirSync(new URL('packages', import.meta.url));

const project = (name: string, root: string) => ({
  extends: true as const,
  test: { name, root, include: root === 'test' ? ['**/*.test.ts'] : ['test/**/*.test.ts'] },
});

export default defineConfig({
  test: {
    testTimeout: 10_000,
    hookTimeout: 20_000,
    projects: [
      ...packages.map((name) => project(name, `packages/${name}`)),
      project('test', 'test'),
    ],
  },
});
