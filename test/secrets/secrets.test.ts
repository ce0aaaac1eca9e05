import { type Budget, ConfigError, type GuardEvent } from '@hardcap/core';
import { checkConfig, loadConfig } from '@hardcap/core/config';
import { webhook } from '@hardcap/core/webhook';
import { describe, expect, test } from 'vitest';
import { type Receiver, receiver } from '../../packages/core/test/support/receiver.ts';
import { type MarkedSecrets, markedSecrets, shownAs, tellTale } from './marked-secrets.ts';
import { listen } from './own-words.ts';
import { budgetsOf, RichScene, removable, SceneClock, USER } from './rich-scene.ts';
import { adjust, ask, grant, loseSink, makeCalls, makeMistakes } from './scene-steps.ts';
import { type OpenStore, STORES } from './stores.ts';
import { Traces } from './traces.ts';

/** Where secrets can be read; nowhere, if all is well. */
function leaks(traces: Traces, secrets: MarkedSecrets): string[] {
  return Object.entries(secrets).flatMap(([way, value]) =>
    traces.placesOf(tellTale(value)).map((place) => `${way}: ${place}`),
  );
}

async function reveal(scene: RichScene, store: OpenStore, hooks: Receiver): Promise<void> {
  scene.revealJournal();
  await store.reveal(scene.traces);
  for (const { body, headers } of hooks.deliveries) scene.traces.add('webhook', [body, headers]);
  scene.traces.add('sink', store.sink);
}

/** Posts all events to a server of ours. */
function hookTo({ url }: Receiver) {
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  return webhook({ url, secret, filter: () => true });
}

/** What a store shows of its own: where the names of accounts are, and what the ledger says. */
const STORED: Readonly<Record<string, readonly string[]>> = {
  memory: [],
  SQLite: ['file usage.db-wal'],
  Redis: ['Redis dump', 'Redis hash', 'Redis stream', 'Redis commands', 'Redis files'],
};

describe.each(STORES)('secrets of an identity, with %s', (name, open) => {
  test('are read in no key, label, error, log line, file or ledger entry', async () => {
    const [traces, secrets, clock] = [new Traces(), markedSecrets(), new SceneClock()];
    listen(traces);
    const store = await open(clock.now);
    await using hooks = await receiver();
    const onEvent = hookTo(hooks);
    const scene = new RichScene(store.sink, { traces, secrets, clock }, { onEvent });
    await makeCalls(scene);
    await makeMistakes(scene);
    await adjust(scene);
    await grant(scene);
    await ask(scene);
    await onEvent.flush();
    await reveal(scene, store, hooks);
    expect(leaks(traces, secrets)).toEqual([]);
    // What is no secret, and what is shown of one, is read everywhere: so a secret would be.
    const shown = traces.placesOf(shownAs(secrets.call));
    expect(traces.placesOf(USER)).toEqual(expect.arrayContaining(['CSV', 'webhook', 'journal']));
    const seen = ['CSV', 'JSON lines', 'summary', 'simulation', 'ledger', 'status', 'alerts'];
    const told = ['event reserved', 'event denied', 'event overshoot', 'event would-deny'];
    const put = ['webhook', 'journal', ...(STORED[name] ?? [])];
    const answered = ['error of denied', 'answer to denied', 'denied value', 'cut call'];
    expect(shown).toEqual(expect.arrayContaining([...seen, ...told, ...put, ...answered]));
  });

  test('nor while the sink is away, and in what is never sent', async () => {
    const [traces, secrets, clock] = [new Traces(), markedSecrets(), new SceneClock()];
    listen(traces);
    const store = await open(clock.now);
    await using hooks = await receiver();
    const onEvent = hookTo(hooks);
    const way = removable(store.sink);
    const budgets = budgetsOf(secrets).map((budget): Budget => {
      if (budget.name === 'watched') return budget;
      const { overrides: _, exempt: __, ...others } = budget;
      return { ...others, onSinkError: 'allow', emergencyLimit: emergencyOf(budget) };
    });
    const scene = new RichScene(way.sink, { traces, secrets, clock }, { budgets, onEvent });
    await loseSink(scene, way);
    await scene.guard.close({ timeoutMs: 1 });
    await onEvent.flush();
    await reveal(scene, store, hooks);
    expect(leaks(traces, secrets)).toEqual([]);
    const shown = traces.placesOf(shownAs(secrets.outage));
    const told = ['event admitted-without-sink', 'answer to refused without it', 'journal'];
    expect(shown).toEqual(expect.arrayContaining(told));
    const events: GuardEvent['type'][] = ['settlement-queued', 'sink-unavailable'];
    const heard = events.map((type) => `event ${type}`);
    expect(traces.sources).toEqual(expect.arrayContaining(heard));
  });
});

describe('secrets in a configuration', () => {
  const withKey = (fields: string) => `
secrets: [token]
identity: { apiKey: "\${API_KEY}" }
budgets:
  - { name: per-key, per: [apiKey], limit: { usd: "5" }, window: total${fields} }
`;
  // Each is wrong in some way, with the secret beside, or in the place of, what is wrong.
  const mistakes: readonly (readonly [what: string, text: (secret: string) => string])[] = [
    ['a list for a text', (secret) => withKey('').replace('"${API_KEY}"', `[${secret}]`)],
    ['no budget', (secret) => `identity: { apiKey: ${secret} }\nbudgets: none`],
    ['another limit', (secret) => withKey(`, overrides: [{ match: { apiKey: ${secret} } }]`)],
    ['a list of patterns', (secret) => withKey(`, match: { apiKey: [${secret}] }`)],
    ['no list', (secret) => withKey(`, exempt: { apiKey: ${secret} }`)],
    ['one key twice', (secret) => `${withKey('')}identity: { apiKey: ${secret} }`],
    ['no end of a text', (secret) => `${withKey('')}x: "${secret}`],
    ['no such variable', (secret) => withKey(`, match: { apiKey: "\${NONE}${secret}" }`)],
    ['no such option', (secret) => `${withKey('')}apiKey: ${secret}`],
  ];

  test.each(mistakes)('are in no message: %s', (_, text) => {
    const traces = new Traces();
    const key = markedSecrets().config;
    const load = () => loadConfig(text(key), { environment: { API_KEY: key } });
    expect(load).toThrow(ConfigError);
    try {
      load();
    } catch (error) {
      traces.add('message', error);
    }
    expect(traces.placesOf(tellTale(key))).toEqual([]);
  });

  test('are in no finding, and patterns that only a secret could match are found', () => {
    const traces = new Traces();
    const key = markedSecrets().config;
    const fields = [
      `match: { apiKey: ${key} }`,
      `overrides: [{ match: { user: vip, apiKey: ${key} }, limit: { usd: "9" } }]`,
      `exempt: [{ apiKey: ${shownAs(key)} }, { apiKey: ${key} }, { token: ${key} }]`,
    ];
    const text = withKey(`, ${fields.join(', ')}`);
    const config = loadConfig(text, { environment: { API_KEY: key } });
    const findings = checkConfig(config);
    traces.add('findings', findings);
    expect(traces.placesOf(tellTale(key))).toEqual([]);
    const paths = findings.filter(({ code }) => code === 'secret-pattern').map(({ path }) => path);
    expect(paths).toEqual([
      'budgets[0].match.apiKey',
      'budgets[0].overrides[0].match.apiKey',
      'budgets[0].exempt[1].apiKey',
      'budgets[0].exempt[2].token',
    ]);
  });
});

test('the search finds a secret however it is written', () => {
  const traces = new Traces();
  const key = markedSecrets().call;
  const ends = { plain: `key ${key}`, url: new URL(`http://host/?key=${key}`) };
  const error = new Error('failed', { cause: new TypeError('deep', { cause: { args: [key] } }) });
  const bytes = Buffer.from(`x${key}y`);
  const coded = { base64: bytes.toString('base64'), hex: bytes.toString('hex') };
  const all = { ...ends, ...coded, error, utf16: Buffer.from(key, 'utf16le') };
  for (const [source, value] of Object.entries(all)) traces.add(source, value);
  traces.add('other', markedSecrets());
  expect(traces.placesOf(tellTale(key))).toEqual(Object.keys(all));
});

function emergencyOf({ limit }: Budget) {
  return limit !== undefined && 'usd' in limit ? { usd: '0.50' } : { tokens: 500 };
}
