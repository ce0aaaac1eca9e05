import { SpendBudgetCallbackHandler } from '@hardcap/langchain';
import { describe, expect, it } from 'vitest';
import type { Fields, Runnable } from './langchain.ts';
import { MATRIX } from './majors.ts';
import { drain, type Scene, scene } from './scene.ts';

const PROMPT = 'Say something.';
const LAYERS: Readonly<Record<string, (here: Scene) => { model: Runnable; config: Fields }>> = {
  'guarded model': ({ model }) => ({ model, config: {} }),
  handler: ({ bare, guard }) => ({
    model: bare,
    config: { callbacks: [new SpendBudgetCallbackHandler(guard)] },
  }),
};
/** Of each API that shows in a stream what its tools did, one that it runs. */
const TOOLS: Readonly<Record<string, unknown>> = {
  'anthropic messages': { type: 'web_fetch_20250910', name: 'web_fetch' },
  'openai responses': { type: 'code_interpreter', container: { type: 'auto' } },
};
const READ = { inputTokens: 100, outputTokens: 30, toolUseInputTokens: 4_000 };

const CASES = MATRIX.filter(([, api]) => TOOLS[api] !== undefined).flatMap(([name, api, major]) =>
  Object.entries(LAYERS).map(([layer, of]) => [name, api, layer, { major, of }] as const),
);

describe.each(CASES)('%s, %s, %s: what tools of the provider read', (_, api, layer, given) => {
  const { major, of } = given;
  const fields = { maxTokens: 100 };
  const call = { tools: [TOOLS[api]] };
  const open = (reply: object) => scene(major, api, { fields, reply: { ...READ, ...reply } });

  it('is charged where it is reported at the end of a stream', async () => {
    const here = await open({});
    const { model, config } = of(here);
    await drain(model.stream(PROMPT, { ...config, ...call }));
    const [entry] = await here.settled(1);
    // A handler does not hear of it.
    const isTold = layer === 'guarded model' || api !== 'anthropic messages';
    expect(await here.spent()).toBe(isTold ? here.server.billedNanoUsd() : entry?.heldNanoUsd);
  });

  it('is charged with a whole answer', async () => {
    const here = await open({});
    const { model, config } = of(here);
    await model.invoke(PROMPT, { ...config, ...call });
    await here.settled(1);
    expect(await here.spent()).toBe(here.server.billedNanoUsd());
  });

  it('is charged at the hold where a stream breaks', async () => {
    const here = await open({ cutAfterChunks: 7 });
    const { model, config } = of(here);
    await drain(model.stream(PROMPT, { ...config, ...call }));
    const [entry] = await here.settled(1);
    expect(entry).toMatchObject({ outcome: 'unknown', costNanoUsd: entry?.heldNanoUsd });
  });
});
