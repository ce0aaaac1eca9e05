import { EdgeVM } from '@edge-runtime/vm';
import { describe, expect, test } from 'vitest';
import { bundleCore } from './bundle.ts';

/** Runs inside the VM, where there is no process and so no environment but the one that is given. */
const SCRIPT = `(() => {
  const text = 'budgets:\\n  - { name: a, per: [], limit: { usd: "\${CAP}" }, window: { calendar: day } }\\n';
  const { budgets } = config.loadConfig(text, { environment: { CAP: '5' } });
  const findings = config.checkConfig({ budgets }, { now: () => 0 });
  let missing;
  try { config.loadConfig(text); } catch (error) { missing = error.message; }
  return JSON.stringify({ limit: budgets[0].limit, codes: findings.map(({ code }) => code), missing });
})()`;

describe('the entries beside the guard, on an edge runtime', () => {
  test.each(['config', 'dismissal', 'loop-guards', 'simulate', 'watch-config'])(
    '%s bundles without Node: nothing is left to import',
    async (name) => {
      const { code, metafile } = await bundleCore(name, 'entry');
      expect(Object.values(metafile.outputs).flatMap(({ imports }) => imports)).toEqual([]);
      expect(code).not.toMatch(/\brequire\(/);
    },
  );

  test('a configuration is read and looked at', async () => {
    const vm = new EdgeVM();
    vm.evaluate((await bundleCore('config', 'config')).code);
    expect(JSON.parse(vm.evaluate<string>(SCRIPT))).toEqual({
      limit: { usd: '5' },
      codes: ['usd-without-prices', 'no-time-zone'],
      missing: expect.stringContaining('line 2, column 39 budgets[0].limit.usd: the environment'),
    });
  });
});
