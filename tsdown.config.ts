import { defineConfig } from 'tsdown';

export default defineConfig({
  workspace: 'packages/*',
  // The names of all entries of all packages.
  entry:
    'src/{adapter,config,dismissal,index,input-bound,ledger,loop-guards,simulate,sink,watch-config,webhook}.ts',
  platform: 'neutral',
  // Sinks may use what Node has; core cannot, since it is compiled without Node's types.
  deps: { neverBundle: [/^node:/] },
  dts: true,
  sourcemap: true,
  failOnWarn: true,
  publint: { strict: true },
  attw: { profile: 'esm-only', level: 'error' },
});
