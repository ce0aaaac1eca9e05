import { spendBudgetForImages, withSpendBudget } from '@hardcap/ai-sdk';
import { BudgetExceededError } from '@hardcap/core';
import { describe, expect, it } from 'vitest';
import { MAJORS, type Major } from './majors.ts';
import { scene as languageScene, type SceneOptions } from './scene.ts';

const CALL = { maxRetries: 0, prompt: 'A fox.' };
/** High quality in the largest size. */
const REPLY = { inputTokens: 12, outputTokens: 6_240 };

type Way = 'middleware' | 'withSpendBudget';
type Budget = Parameters<typeof withSpendBudget>[2];

async function scene(
  major: Major,
  way: Way,
  { budget, model: id = 'gpt-image-1', ...options }: SceneOptions & { budget?: Budget } = {},
) {
  const here = await languageScene(major, 'openai chat', { reply: REPLY, ...options });
  const { server, guard } = here;
  const bare = major.openai({ baseURL: server.openaiBaseUrl, apiKey: 'wire' }).image(id);
  const middleware = spendBudgetForImages(guard, budget);
  const model =
    way === 'withSpendBudget'
      ? withSpendBudget(bare, guard, budget)
      : major.ai.wrapImageModel?.({ model: bare, middleware });
  const { generateImage = major.ai.experimental_generateImage } = major.ai;
  const make = async (call: object = {}) => generateImage?.({ ...CALL, model, ...call });
  return { ...here, make };
}

const CASES = MAJORS.flatMap((major) =>
  (['middleware', 'withSpendBudget'] as const)
    // Version 5 has no middleware for images.
    .filter((way) => way === 'withSpendBudget' || major.ai.wrapImageModel !== undefined)
    .map((way) => [major.name, way, major] as const),
);

describe.each(CASES)('%s, %s: images', (name, way, major) => {
  it('are charged what the provider bills', async () => {
    const { server, make, settled, spent } = await scene(major, way);
    expect((await make({ n: 2 }))?.images).toHaveLength(2);
    const [entry] = await settled(1);
    expect(entry).toMatchObject({ provider: 'openai.image', outcome: 'known' });
    expect(server.billedNanoUsd()).toBe(2 * 6_240 * 40_000 + 12 * 10_000);
    // Packages of version 2 report no usage, so that what was held is charged.
    if (name === 'ai 5') expect(await spent()).toBe(entry?.heldNanoUsd);
    else expect(await spent()).toBe(server.billedNanoUsd());
    expect(entry?.heldNanoUsd).toBeGreaterThanOrEqual(server.billedNanoUsd());
  });

  it('are not made where the budget refuses', async () => {
    const { server, make } = await scene(major, way, { cap: '0.40' });
    await expect(make({ n: 2 })).rejects.toSatisfy(BudgetExceededError.isInstance);
    expect(server.exchanges).toEqual([]);
    await make();
    expect(server.exchanges).toHaveLength(1);
  });

  it('are held at the tokens of the options', async () => {
    const { make, settled } = await scene(major, way, { budget: { imageTokens: 10_000 } });
    await make();
    const [entry] = await settled(1);
    expect(entry?.heldNanoUsd).toBeGreaterThanOrEqual(10_000 * 40_000);
  });

  it('are held and charged by the piece where nothing else is told', async () => {
    const pieceCost = ({ modelId }: { modelId: string }) =>
      modelId === 'dall-e-3' ? '0.04' : undefined;
    const options = {
      model: 'dall-e-3',
      reply: { usage: 'missing' },
      budget: { pieceCost },
    } as const;
    const { make, settled } = await scene(major, way, options);
    await make();
    const [entry] = await settled(1);
    expect(entry).toMatchObject({ heldNanoUsd: 40_000_000, costNanoUsd: 40_000_000 });
  });

  it('are not made where nothing bounds what they cost', async () => {
    const { server, make } = await scene(major, way, { model: 'dall-e-3' });
    await expect(make()).rejects.toThrow('pieceCost');
    expect(server.exchanges).toEqual([]);
  });

  it.each([
    ['nothing where they were refused', { status: 400 }, 'not-sent'],
    ['their hold where nobody knows', { cutBeforeHeaders: true }, 'unknown'],
    ['their hold where no usage comes', { usage: 'missing' } as const, 'known'],
  ])('cost %s', async (__, reply, outcome) => {
    const { make, settled } = await scene(major, way, { reply });
    await make().catch(() => {});
    const [entry] = await settled(1);
    expect(entry?.outcome).toBe(outcome);
    expect(entry?.costNanoUsd).toBe(outcome === 'not-sent' ? 0 : entry?.heldNanoUsd);
  });

  it('are charged their bound where no usage comes and nothing was held', async () => {
    const options = {
      reply: { ...REPLY, usage: 'missing' },
      budget: { estimate: 'none' },
    } as const;
    const { make, settled } = await scene(major, way, options);
    await make({ n: 2 });
    const [entry] = await settled(1);
    expect(entry).toMatchObject({ outcome: 'metered', heldNanoUsd: 0 });
    expect(entry?.costNanoUsd).toBeGreaterThanOrEqual(2 * 6_240 * 40_000);
  });

  it('take who pays from providerOptions, and do not send it', async () => {
    const { server, make, settled } = await scene(major, way);
    await make({ providerOptions: { hardcap: { identity: { user: 'u7' } } } });
    const [entry] = await settled(1);
    expect(entry).toMatchObject({ identity: { user: 'u7' } });
    expect(JSON.stringify(server.exchanges[0]?.body)).not.toMatch(/hardcap|u7/);
  });
});
