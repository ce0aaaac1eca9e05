import { BudgetExceededError } from '@hardcap/core';
import { AIMessageChunk } from '@langchain/core/messages';
import { ChatGenerationChunk, GenerationChunk } from '@langchain/core/outputs';
import { describe, expect, it } from 'vitest';
import { SpendBudgetCallbackHandler } from '../src/callback-handler.ts';
import { stage } from './stage.ts';

const CENT = 10_000_000;
const METADATA = { ls_provider: 'played', ls_model_name: 'played', ls_max_tokens: 20 };
const LIST = [['Go.']];

function chunkOf(text: string): ChatGenerationChunk {
  return new ChatGenerationChunk({ text, message: new AIMessageChunk(text) });
}

/** A handler, told of runs as the framework tells of them: several times where it is asked to. */
function told(cap: string, tellings = 1) {
  const { guard, entries } = stage(cap);
  const handler = new SpendBudgetCallbackHandler(guard);
  const tell = async (telling: () => Promise<void>) => {
    await Promise.all(Array.from({ length: tellings }, telling));
  };
  return {
    guard,
    entries,
    start: (runId: string, extra: object, metadata: object = METADATA) =>
      tell(() => handler.handleChatModelStart({}, LIST, runId, undefined, extra, [], metadata)),
    startText: (runId: string) =>
      tell(() => handler.handleLLMStart({}, ['Go.'], runId, undefined, {}, [], METADATA)),
    token: (runId: string, text: string, chunk?: GenerationChunk) =>
      tell(() => handler.handleLLMNewToken(text, {}, runId, undefined, [], { chunk })),
    end: (runId: string, output: object, extra?: object) =>
      tell(() => handler.handleLLMEnd(output, runId, undefined, [], extra)),
    fail: (runId: string, error: unknown) => tell(() => handler.handleLLMError(error, runId)),
  };
}

function outputOf(tokens: number) {
  const usage_metadata = { input_tokens: 1, output_tokens: tokens, total_tokens: tokens + 1 };
  return { generations: [[{ message: { content: 'Yes.', usage_metadata } }]] };
}

describe('a callback handler', () => {
  it.each([1, 2])('meters every token once, told %s times', async (tellings) => {
    const { start, token, fail, entries } = told('1000', tellings);
    await start('r1', {});
    for (const word of ['one ', 'two ', 'six ']) await token('r1', word, chunkOf(word));
    await fail('r1', new Error('It broke.'));
    expect(await entries()).toMatchObject([{ outcome: 'metered', costNanoUsd: 3 * CENT }]);
  });

  it('meters the tokens of a text model, whose chunks have no message', async () => {
    const { startText, token, fail, entries } = told('1000');
    await startText('r1');
    for (const word of ['one ', 'two ', 'six ']) {
      await token('r1', word, new GenerationChunk({ text: word }));
    }
    await fail('r1', new Error('It broke.'));
    expect(await entries()).toMatchObject([{ outcome: 'metered', costNanoUsd: 3 * CENT }]);
  });

  it('keeps two runs apart that have one id', async () => {
    const { start, end, entries } = told('1000');
    await start('r1', { first: true });
    await start('r1', { second: true });
    await end('r1', outputOf(5));
    await end('r1', outputOf(7));
    const costs = (await entries()).map(({ costNanoUsd }) => costNanoUsd);
    expect(costs).toEqual([5 * CENT, 7 * CENT]);
  });

  it('settles once where an end is followed by an error', async () => {
    const { start, end, fail, entries } = told('1000');
    await start('r1', {});
    await end('r1', outputOf(5));
    await fail('r1', new Error('Another handler threw.'));
    expect(await entries()).toMatchObject([{ costNanoUsd: 5 * CENT }]);
  });

  it('settles every run that one error ends', async () => {
    const { start, fail, entries } = told('1000');
    await start('r1', {});
    await start('r2', {});
    const error = Object.assign(new Error('It was aborted.'), { name: 'AbortError' });
    await fail('r1', error);
    await fail('r2', error);
    expect(await entries()).toHaveLength(2);
  });

  it('gives back the hold of a cached answer, and never throws at its text', async () => {
    const { guard, start, token, end, entries } = told('0.20');
    await start('r1', {});
    await token('r1', 'a long text '.repeat(500));
    await end('r1', outputOf(0), { cached: true });
    expect(await entries()).toEqual([]);
    expect(await guard.verify()).toMatchObject({ reservations: 0 });
  });

  it('throws at a token that nothing can carry, but not where nobody waits for it', async () => {
    const { start, token } = told('0.40');
    await start('r1', {});
    await start('r2', {}, { ...METADATA, ls_provider: 'mistral' });
    const flood = async (runId: string) => {
      for (let sent = 0; sent < 30; sent += 1) await token(runId, 'word ', chunkOf('word '));
    };
    await expect(flood('r1')).rejects.toSatisfy(BudgetExceededError.isInstance);
    await flood('r2');
  });
});
