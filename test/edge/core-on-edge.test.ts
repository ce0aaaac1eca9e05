import { EdgeVM } from '@edge-runtime/vm';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Bundle, bundleCore } from './bundle.ts';

/** Calls under a cap of $0.001, where an output token costs 10,000 nano-USD; runs inside the VM. */
const SCRIPT = `(async () => {
  const rate = { input: 1e6, cacheRead: 1e6, cacheWrite5m: 1e6, cacheWrite1h: 1e6, output: 1e7, reasoning: 1e7 };
  const card = { rates: rate };
  const snapshot = { ...card, source: 'test', version: '1', provider: 'acme', model: 'small' };
  const quote = { snapshot, dearest: card, free: false, maxOutputTokens: 100, contextTokens: null };
  const guard = core.createSpendGuard({
    budgets: core.defineBudgets([
      { name: 'day', per: ['user'], limit: { usd: '0.001' }, window: { calendar: 'day', timeZone: 'Asia/Tokyo' } },
      { name: 'key', per: ['apiKey'], limit: { requests: 5 }, window: { rolling: '1h' } },
    ]),
    prices: { quote: () => quote },
  });
  const identity = { user: 'ann', apiKey: 'sk-secret' };
  const request = { identity, provider: 'acme', model: 'small', inputTokens: 0, maxOutputTokens: 60 };
  const first = await guard.reserve(request);
  const usage = { input: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 50, reasoning: 0 };
  const settled = await first.call.settle({ outcome: 'known', usage });
  const second = await guard.reserve(request);
  const error = new core.BudgetExceededError(second.denial);
  const response = core.toHttpResponse(error);
  const stream = await guard.reserve({ ...request, estimate: 'none' });
  const isCut = !(await stream.call.meter({ text: ' word'.repeat(500) }));
  await stream.call.settle({ outcome: 'metered' });
  let withIdentity;
  try { guard.withIdentity(identity, () => {}); withIdentity = 'works'; }
  catch (refused) { withIdentity = refused.code; }
  await guard.topUp({ budget: 'day', identity }, { usd: '0.001' }, { id: 'top-up' });
  await guard.correct(first.call.id, { costNanoUsd: 400000 });
  const alerts = await guard.alerts({ identity });
  const kinds = [];
  for await (const { kind } of guard.ledger()) kinds.push(kind);
  const { differences } = await guard.verify();
  const status = await guard.status(identity);
  await guard.close();
  return JSON.stringify({
    admitted: first.admitted,
    settled,
    denied: second.admitted === false && second.denial.refusals.map(({ budget, kind }) => budget + ' ' + kind),
    response: [response.status, response.headers.get('content-type')],
    isCut,
    aborted: stream.call.signal.aborted,
    withIdentity,
    differences,
    kinds,
    alerts: alerts.map(({ budget, kind }) => budget + ' ' + kind),
    accounts: status.map(({ account }) => account),
    globals: [typeof process, typeof require, typeof Buffer],
  });
})()`;

describe('@hardcap/core on an edge runtime', () => {
  let bundle: Bundle;
  beforeAll(async () => {
    bundle = await bundleCore('index', 'core');
  });

  test.each(['adapter', 'index', 'input-bound', 'ledger', 'webhook'])(
    'bundles %s without Node: nothing is left to import',
    async (name) => {
      const bundle = await bundleCore(name, 'entry');
      const imports = Object.values(bundle.metafile.outputs).flatMap((output) => output.imports);
      expect(imports).toEqual([]);
      const modules = Object.values(bundle.metafile.inputs).flatMap((input) => input.imports);
      expect(modules.filter(({ path }) => path.startsWith('node:'))).toEqual([]);
      expect(bundle.code).not.toMatch(/\brequire\(/);
    },
  );

  test('reserves, refuses, meters and settles', async () => {
    const vm = new EdgeVM();
    vm.evaluate(bundle.code);
    const text = await vm.evaluate<Promise<string>>(SCRIPT);
    expect(JSON.parse(text)).toEqual({
      admitted: true,
      settled: { status: 'settled', costNanoUsd: 500_000, overshoot: [] },
      denied: ['day too-large'],
      response: [402, 'application/problem+json'],
      isCut: true,
      aborted: true,
      // Needs AsyncLocalStorage, which not every edge runtime has.
      withIdentity: 'CONFIG_INVALID',
      differences: [],
      kinds: ['settlement', 'settlement', 'adjustment', 'adjustment'],
      alerts: ['day exceeded', 'day throttled'],
      accounts: ['day|user=ann', expect.stringMatching(/^key\|apiKey=[0-9a-f]{16}$/)],
      globals: ['undefined', 'undefined', 'undefined'],
    });
  });

  test('makes a guard where a module is loaded: no random numbers and no timers there', async () => {
    const vm = new EdgeVM();
    vm.evaluate(`const allowed = [crypto.getRandomValues, Math.random, setTimeout];
      const forbid = () => { throw new Error('not in global scope'); };
      Object.defineProperty(crypto, 'getRandomValues', { value: forbid, configurable: true });
      Math.random = globalThis.setTimeout = forbid;`);
    vm.evaluate(`${bundle.code};
      const guard = core.createSpendGuard({
        budgets: core.defineBudgets([{ name: 'all', per: [], limit: { requests: 1 }, window: 'total' }]),
      });`);
    const call = `guard.reserve({ provider: 'acme', model: 'small', inputTokens: 0 })`;
    const { admitted } = await vm.evaluate<Promise<{ admitted: boolean }>>(`
      Object.defineProperty(crypto, 'getRandomValues', { value: allowed[0].bind(crypto) });
      [Math.random, globalThis.setTimeout] = allowed.slice(1);
      ${call}`);
    expect(admitted).toBe(true);
  });
});
