import { BudgetExceededError, UnpricedModelError } from '@hardcap/core';
import { describe, expect, it } from 'vitest';
import { MATRIX } from './majors.ts';
import { scene } from './scene.ts';

/** $0.18 a call: 18 tokens of a cent each, of which the limit lets through no more. */
const CALL = { prompt: 'Go on.', maxOutputTokens: 18, maxRetries: 0 };
const SCENE = { model: 'cent', cap: '1.00', reply: { outputTokens: 18 } };

describe.each(MATRIX)('%s, %s: 100 calls of $0.18 under a cap of $1.00', (_, api, major) => {
  it.each([
    ['one after the other', 'generate', false],
    ['all at once', 'generate', true],
    ['one after the other', 'stream', false],
    ['all at once', 'stream', true],
  ])('case C-01, C-11: admits exactly five (%s, %s)', async (__, way, atOnce) => {
    const { server, model, settled, spent } = await scene(major, api, SCENE);
    const call = async (): Promise<unknown> => {
      if (way === 'generate') {
        return major.ai.generateText({ ...CALL, model }).then(
          () => undefined,
          (error: unknown) => error,
        );
      }
      let failure: unknown;
      const onError = ({ error }: { error: unknown }) => {
        failure = error;
      };
      await major.ai.streamText({ ...CALL, model, onError }).consumeStream();
      return failure;
    };
    const failures: unknown[] = [];
    if (atOnce) failures.push(...(await Promise.all(Array.from({ length: 100 }, call))));
    else for (let made = 0; made < 100; made += 1) failures.push(await call());

    expect(failures.filter((failure) => failure === undefined)).toHaveLength(5);
    expect(failures.filter(BudgetExceededError.isInstance)).toHaveLength(95);
    expect(server.exchanges).toHaveLength(5);
    await settled(5);
    expect(await spent()).toBe(900_000_000);
    expect(server.billedNanoUsd()).toBe(900_000_000);
  });
});

describe.each(MATRIX)('%s, %s: a model without a price', (_, api, major) => {
  it('case C-51: is refused before anything is sent', async () => {
    const { server, model, settled } = await scene(major, api, { model: 'who-knows' });
    const errors: unknown[] = [];
    await major.ai.generateText({ ...CALL, model }).catch((error: unknown) => errors.push(error));
    const onError = ({ error }: { error: unknown }) => errors.push(error);
    await major.ai.streamText({ ...CALL, model, onError }).consumeStream();
    expect(errors.map(UnpricedModelError.isInstance)).toEqual([true, true]);
    expect(server.exchanges).toEqual([]);
    await settled(0);
  });
});
