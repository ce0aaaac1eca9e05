import { defineConfig } from 'tsdown';

export default defineConfig({
  workspace: 'packages/*',
  entry: 'src/index.ts',
  platform: 'neutral',
  dts: true,
  sourcemap: true,
  failOnWarn: true,
  publint: { strict: true },
  attw: { profile: 'esm-only', level: 'error' },
});
