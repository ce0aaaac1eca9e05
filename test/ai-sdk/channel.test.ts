import { describe, expect, it } from 'vitest';
import { MAJORS, MATRIX } from './majors.ts';
import { scene } from './scene.ts';

const CALL = { prompt: 'Say something.', maxRetries: 0 };
const BUDGETS = [{ name: 'cap', per: ['user'], limit: { usd: '1000' }, window: 'total' as const }];

describe.each(MATRIX)('%s, %s: what a call says in providerOptions.hardcap', (_, api, major) => {
  const hardcap = { identity: { user: 'u7', run: 'r1' }, operationId: 'op-1', tags: { a: 1 } };

  it('reaches the ledger and never the provider', async () => {
    const { server, model, settled } = await scene(major, api, {
      budget: { tags: { a: 0, b: 2 } },
    });
    const providerOptions = { hardcap, openai: { user: 'end-user' } };
    await major.ai.generateText({ ...CALL, model, providerOptions });
    await major.ai.streamText({ ...CALL, model, providerOptions }).consumeStream();
    for (const entry of await settled(2)) {
      expect(entry.identity).toMatchObject({ user: 'u7', run: 'r1' });
      expect(entry.operationId).toBe('op-1');
      expect(entry.tags).toEqual({ a: 1, b: 2 });
    }
    for (const { body, headers } of server.exchanges) {
      expect(JSON.stringify([body, headers])).not.toMatch(/hardcap|u7|op-1/);
      if (api.startsWith('openai')) expect(body['user']).toBe('end-user');
    }
  });

  it('is refused where it is misspelt, before anything is sent', async () => {
    const { server, model, settled } = await scene(major, api);
    for (const wrong of [{ identiy: { user: 'u7' } }, { identity: { user: 7 } }, 'u7']) {
      const providerOptions = { hardcap: wrong };
      const call = major.ai.generateText({ ...CALL, model, providerOptions });
      await expect(call).rejects.toThrow('providerOptions.hardcap');
    }
    expect(server.exchanges).toEqual([]);
    await settled(0);
  });

  it('beats the context, which beats the option, which beats the guard', async () => {
    const options = {
      budgets: BUDGETS,
      guard: { identity: { user: 'of-guard', org: 'of-guard', team: 'of-guard', run: 'of-guard' } },
      budget: { identity: { org: 'of-option', team: 'of-option', run: 'of-option' } },
    };
    const { guard, model, settled } = await scene(major, api, options);
    const providerOptions = { hardcap: { identity: { run: 'of-call' } } };
    await guard.withIdentity({ team: 'of-context', run: 'of-context' }, () =>
      major.ai.generateText({ ...CALL, model, providerOptions }),
    );
    const [entry] = await settled(1);
    expect(entry?.identity).toMatchObject({
      user: 'of-guard',
      org: 'of-option',
      team: 'of-context',
      run: 'of-call',
    });
  });

  it('is not needed where a function says who calls', async () => {
    let user = 'u1';
    const identity = async () => ({ user });
    const { model, settled } = await scene(major, api, {
      guard: { identity: {} },
      budget: { identity },
    });
    await major.ai.generateText({ ...CALL, model });
    user = 'u2';
    await major.ai.streamText({ ...CALL, model }).consumeStream();
    const entries = await settled(2);
    expect(entries.map((entry) => entry.identity?.['user'])).toEqual(['u1', 'u2']);
  });

  it('carries the context of the call site into steps, tools and readers elsewhere', async () => {
    const reply = [{ toolCalls: [{ name: 'look', arguments: {} }] }, {}];
    const { guard, model, settled } = await scene(major, api, { reply });
    const inputSchema = major.ai.jsonSchema({ type: 'object', properties: {} });
    const look = major.ai.tool({ description: 'Looks.', inputSchema, execute: () => 'seen' });
    const stopWhen = major.ai.stepCountIs(2);
    const result = guard.withIdentity({ user: 'u9' }, () =>
      major.ai.streamText({ ...CALL, model, stopWhen, tools: { look } }),
    );
    await guard.withIdentity({ user: 'reader' }, () => result.consumeStream());
    const entries = await settled(2);
    expect(entries.map((entry) => entry.identity?.['user'])).toEqual(['u9', 'u9']);
  });
});

describe.each(MAJORS)('$name: a provider that sends on every option', (major) => {
  it('sees none of those that are for hardcap', async () => {
    const { server, wrap, settled } = await scene(major, 'openai chat');
    // Compatible packages spread the options under their own name over the body.
    const settings = { name: 'hardcap', baseURL: server.openaiBaseUrl, apiKey: 'wire' };
    const model = wrap(
      major.compatible({ ...settings, includeUsage: true }).languageModel('gpt-4.1'),
    );
    const hardcap = { identity: { user: 'u7' }, operationId: 'op-1' };
    await major.ai.generateText({ ...CALL, model, providerOptions: { hardcap } });
    await major.ai.streamText({ ...CALL, model, providerOptions: { hardcap } }).consumeStream();
    for (const { body } of server.exchanges) expect(JSON.stringify(body)).not.toMatch(/u7|op-1/);
    expect(server.exchanges).toHaveLength(2);
    await settled(2);
  });
});

describe.each(MATRIX)('%s, %s: a caller that no budget binds', (_, api, major) => {
  it('is refused before anything is sent', async () => {
    const { server, model } = await scene(major, api, { guard: { identity: {} } });
    const call = major.ai.generateText({ ...CALL, model });
    await expect(call).rejects.toMatchObject({ code: 'IDENTITY_MISSING' });
    expect(server.exchanges).toEqual([]);
  });
});
