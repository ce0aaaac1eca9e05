import { BudgetExceededError, InvalidArgumentError } from '@hardcap/core';
import { describe, expect, it } from 'vitest';
import { drain } from './drain.ts';
import { type Api, MATRIX } from './majors.ts';
import { PRICES } from './prices.ts';
import { scene } from './scene.ts';

const PDF = new TextEncoder().encode('%PDF-1.7 and so on');
const CALL = { maxOutputTokens: 100, maxRetries: 0, onError() {} };
const NANO_PER_PICO = 1_000;

const file = (data: unknown) => ({ type: 'file', data, mediaType: 'application/pdf' });
const asking = (part: object) => [
  { role: 'user', content: [{ type: 'text', text: 'What is in it?' }, part] },
];

/** Input whose tokens nothing here can tell. */
const UNSEEN: readonly (readonly [string, readonly Api[], object])[] = [
  ['a PDF', ['openai chat', 'openai responses', 'anthropic messages', 'gemini'], file(PDF)],
  ['a file that the provider has', ['openai chat', 'openai responses'], file('file-abc123')],
  [
    'an image of a kind that nobody knows',
    ['gemini'],
    { type: 'file', data: PDF, mediaType: 'image/heic' },
  ],
];

const CASES = MATRIX.flatMap(([name, api, major]) =>
  UNSEEN.filter(([, apis]) => apis.includes(api)).map(
    ([what, , part]) => [name, api, what, { major, part }] as const,
  ),
);

describe.each(CASES)('case C-28: %s, %s: %s', (_, api, __, { major, part }) => {
  const { generateText, streamText } = major.ai;
  const messages = asking(part);

  it('is held at the context window of the model, and charged what it was', async () => {
    const { server, model, settled, spent } = await scene(major, api);
    await generateText({ ...CALL, model, messages });
    await drain(streamText({ ...CALL, model, messages }));
    for (const entry of await settled(2)) {
      const price = PRICES[entry.model ?? ''];
      const most = ((price?.contextTokens ?? Number.NaN) * (price?.input ?? 0)) / NANO_PER_PICO;
      expect(entry.heldNanoUsd).toBeGreaterThanOrEqual(most);
    }
    expect(await spent()).toBe(server.billedNanoUsd());
  });

  it('is not sent where the budget carries no such window', async () => {
    const { server, model } = await scene(major, api, { cap: '0.30' });
    const done = generateText({ ...CALL, model, messages });
    await expect(done).rejects.toSatisfy(BudgetExceededError.isInstance);
    expect(server.exchanges).toEqual([]);
  });
});

describe.each(MATRIX)('case C-28: %s, %s: a file', (_, api, major) => {
  const { generateText } = major.ai;
  const messages = asking(file(PDF));

  it('is not sent where nobody knows the window, unless it is not to be held', async () => {
    const { server, model, bare, wrap, settled } = await scene(major, api, {
      model: 'cent-unbounded',
    });
    const done = generateText({ ...CALL, model, messages });
    await expect(done).rejects.toSatisfy(InvalidArgumentError.isInstance);
    expect(server.exchanges).toEqual([]);
    await generateText({ ...CALL, model: wrap(bare, { contextWindow: 9_000 }), messages });
    await generateText({ ...CALL, model: wrap(bare, { estimate: 'none' }), messages });
    await settled(2);
  });
});
