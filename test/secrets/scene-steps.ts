import { createSpendGuard, type Identity } from '@hardcap/core';
import { summarize, toCsv, toJsonLines } from '@hardcap/core/ledger';
import { simulate } from '@hardcap/core/simulate';
import { budgetsOf, callOf, HOUR, type RichScene, USER } from './rich-scene.ts';

/** Calls that end in each way there is, and some that never begin. */
export async function makeCalls(scene: RichScene): Promise<void> {
  const { guard, secrets, clock, traces } = scene;
  const who = { apiKey: secrets.call };
  const known = await scene.admitted('known', callOf(who));
  traces.add('open call', known);
  await scene.try('settled', () => known.settle({ outcome: 'known', costNanoUsd: 150_000_000 }));
  await scene.try('settled again', () => known.settle({ outcome: 'unknown' }));
  const metered = await scene.admitted('metered', callOf(who));
  await metered.meter({ text: 'word '.repeat(3) });
  await metered.settle({ outcome: 'metered' });
  await (await scene.admitted('unknown', callOf(who))).settle({ outcome: 'unknown' });
  await (await scene.admitted('not sent', callOf(who))).settle({ outcome: 'not-sent' });
  await (await scene.admitted('released', callOf(who))).release();
  const grown = await scene.admitted('grown', { ...callOf(who), estimate: 'none' });
  await grown.meter({ usage: { output: 900 } });
  traces.add('cut call', grown.stopReason);
  await grown.settle({ outcome: 'metered' });
  await scene.try('denied', () => guard.run(callOf(who, 500), async () => {}));
  await scene.try('denied value', () => guard.reserve(callOf(who, 500)));
  const context = { apiKey: secrets.context };
  await guard.withIdentity(context, () =>
    scene.try('in a context', () => guard.run(callOf({}), async (call) => call.release())),
  );
  const exempt = await scene.admitted('exempt', callOf({ apiKey: secrets.exempt }));
  await exempt.settle({ outcome: 'known', costNanoUsd: 1_000 });
  await scene.admitted('expired', callOf({ apiKey: secrets.context }));
  clock.time += HOUR;
  await guard.status(context);
}

/** What is refused for what it says, not for what it costs. */
export async function makeMistakes(scene: RichScene): Promise<void> {
  const { guard, secrets } = scene;
  const { invalid } = secrets;
  const reserve = (source: string, identity: unknown, others: object = {}) =>
    scene.try(source, () => guard.reserve({ ...callOf(identity as Identity), ...others }));
  await reserve('too long', { apiKey: invalid.repeat(20) });
  await reserve('no text', { apiKey: [invalid] });
  await reserve('no text either', { token: { value: invalid } });
  await reserve('misspelt', {
    apikey: 'none',
    token: undefined,
    user: undefined,
    apiKey: undefined,
  });
  await reserve('unpriced', { apiKey: invalid }, { model: 'unknown' });
  await reserve('no tokens', { apiKey: invalid }, { inputTokens: -1 });
  await reserve('no estimate', { apiKey: invalid }, { estimate: 'much' });
  const call = await scene.admitted('mistaken', callOf({ apiKey: invalid }));
  await scene.try('no usage', () => call.settle({ outcome: 'known', usage: { input: -1 } }));
  const none = createSpendGuard({
    budgets: [{ name: 'per-user', per: ['user'], limit: { requests: 1 }, window: 'total' }],
  });
  const { identity: _, ...nobody } = callOf({});
  await scene.try('nobody', () => none.reserve({ ...nobody, identity: { apiKey: invalid } }));
}

/** Everything by hand, on accounts of secret identities. */
export async function adjust(scene: RichScene): Promise<void> {
  const { guard, secrets } = scene;
  const selector = { budget: 'per-key', identity: { user: USER, apiKey: secrets.selector } };
  await scene.try('top-up', () => guard.topUp(selector, { usd: '1' }, { reason: 'approved' }));
  await scene.try('limit', () => guard.setLimit(selector, { limit: { usd: '2' } }));
  await scene.try('block', () => guard.block(selector, { by: 'ops' }));
  await scene.try('blocked', () => guard.run(callOf(selector.identity), async () => {}));
  await scene.try('unblock', () => guard.unblock(selector));
  await scene.try('reset', () => guard.reset(selector));
  await scene.try('wrong unit', () => guard.topUp(selector, { tokens: 5 }));
  await scene.try('wrong budget', () => guard.reset({ ...selector, budget: 'none' }));
  await scene.try('missing dimension', () => guard.reset({ budget: 'per-key' }));
  const call = await scene.admitted('to be corrected', callOf(selector.identity));
  await call.settle({ outcome: 'known', costNanoUsd: 5_000 });
  for await (const { id, reservation } of guard.ledger()) {
    if (reservation !== call.id) continue;
    await scene.try('corrected', () => guard.correct(id, { costNanoUsd: 9_000 }));
    await scene.try('wrong correction', () => guard.correct(id, { costNanoUsd: -1 }));
  }
}

/** Grants to children, and what becomes of them. */
export async function grant(scene: RichScene): Promise<void> {
  const { guard, secrets, traces } = scene;
  const from = { user: USER, apiKey: secrets.grant };
  const made = await guard.grant({ from, limit: { usd: '0.50' }, depth: 1 });
  traces.add('grant', made);
  traces.add('grant', made.token);
  const call = await scene.admitted('call of a grant', callOf(made.identity, 5));
  await call.settle({ outcome: 'known', costNanoUsd: 1_000 });
  const below = await guard.grant({ from: made.identity, limit: { usd: '0.10' } });
  await scene.try('revoked', () => below.revoke());
  await scene.try('closed', () => made.close());
  await scene.try('grant too large', () => guard.grant({ from, limit: { usd: '5' } }));
  await scene.try('grant from nobody', () => guard.grant({ limit: { usd: '5' } }));
  await scene.try('grant joined', () => guard.grant(made.token));
  await scene.try('no token', () => guard.grant('{}'));
  await scene.try('unknown grant', () => guard.reserve(callOf({ ...from, grant: 'nobody' })));
}

/** Everything that can be asked of the books. */
export async function ask(scene: RichScene): Promise<void> {
  const { guard, secrets, traces } = scene;
  const identity = { user: USER, apiKey: secrets.call };
  await scene.try('status', () => guard.status(identity));
  await scene.try('alerts', () => guard.alerts({ identity }));
  await scene.try('verify', () => guard.verify());
  await scene.try('rebuild', () => guard.rebuild());
  const lines: string[] = [];
  for await (const entry of guard.ledger({ identity })) traces.add('ledger', entry);
  for await (const line of toJsonLines(guard.ledger())) lines.push(line);
  traces.add('JSON lines', lines.join(''));
  const rows: string[] = [];
  for await (const row of toCsv(guard.ledger())) rows.push(row);
  traces.add('CSV', rows.join(''));
  const by = ['identity.apiKey', 'identity.token', 'budget'] as const;
  traces.add('summary', await summarize(guard.ledger(), { by }));
  const proposed = {
    budgets: budgetsOf(secrets).map((budget) => ({ ...budget, window: 'total' as const })),
  };
  traces.add('simulation', await simulate(proposed, guard.ledger(), {}));
  traces.add('guard', guard);
}

/** Calls and settlements while the sink is away, and a guard that is closed before it is back. */
export async function loseSink(scene: RichScene, way: { isAway: boolean }): Promise<void> {
  const { guard, secrets, traces } = scene;
  const identity = { apiKey: secrets.outage };
  const before = await scene.admitted('before the outage', callOf(identity));
  await scene.try('refused before it', () => guard.run(callOf(identity, 900), async () => {}));
  way.isAway = true;
  traces.add('queued', await before.settle({ outcome: 'known', costNanoUsd: 1_000 }));
  const during = await scene.admitted('without the sink', callOf(identity));
  await scene.try('refused without it', () => guard.run(callOf(identity, 900), async () => {}));
  traces.add('queued', await during.settle({ outcome: 'known', costNanoUsd: 1_000 }));
  await scene.try('status without it', () => guard.status(identity));
  await scene.try('top-up without it', () =>
    guard.topUp({ budget: 'per-key', identity }, { usd: '1' }),
  );
  await scene.try('ledger without it', () => guard.ledger({ identity }).next());
  traces.add('unsent', await guard.flush({ timeoutMs: 1 }));
}
