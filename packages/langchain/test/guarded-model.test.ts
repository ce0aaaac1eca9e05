import { BudgetExceededError, InvalidArgumentError } from '@hardcap/core';
import { FakeListChatModel } from '@langchain/core/utils/testing';
import { describe, expect, it } from 'vitest';
import { SpendBudgetCallbackHandler } from '../src/callback-handler.ts';
import { withSpendBudget } from '../src/with-spend-budget.ts';
import { answerOf, chunkOf, PlayedModel, stage } from './stage.ts';

const CENT = 10_000_000;

describe('a model of any maker', () => {
  // It has private members, as models of one's own may have.
  it('is charged its usage', async () => {
    const { guard, entries } = stage();
    const model = new PlayedModel({ answer: async () => answerOf('Yes.', [5, 3]) });
    await withSpendBudget(model, guard).invoke('Go.');
    const [entry] = await entries();
    expect(entry).toMatchObject({
      provider: 'playedmodel',
      model: 'played',
      costNanoUsd: 3 * CENT,
    });
  });

  it('is charged its hold where it reports no usage, and where it fails', async () => {
    const { guard, entries } = stage();
    const failing = new PlayedModel({ answer: () => Promise.reject(new Error('It broke.')) });
    const silent = new PlayedModel({ answer: async () => answerOf('Yes.') });
    await expect(withSpendBudget(failing, guard).invoke('Go.')).rejects.toThrow('It broke.');
    await withSpendBudget(silent, guard).invoke('Go.');
    const charged = (await entries()).map(({ outcome, costNanoUsd }) => [outcome, costNanoUsd]);
    expect(charged).toEqual([
      ['unknown', 20 * CENT],
      ['known', 20 * CENT],
    ]);
  });

  it('is told to stop where its stream is cut, though it does not end by itself', async () => {
    const { guard, entries } = stage('0.20');
    let told: unknown;
    const endless = {
      [Symbol.asyncIterator]: () => ({
        next: async () => ({ done: false, value: chunkOf('word ') }) as const,
      }),
    };
    const model = new PlayedModel({
      stream: (signal) => {
        signal?.addEventListener('abort', () => {
          told = signal.reason;
        });
        return endless;
      },
    });
    const read = async () => {
      for await (const _chunk of await withSpendBudget(model, guard).stream('Go.'));
    };
    await expect(read()).rejects.toSatisfy(BudgetExceededError.isInstance);
    expect(BudgetExceededError.isInstance(told)).toBe(true);
    expect(await entries()).toMatchObject([{ outcome: 'metered' }]);
  });

  it('gives what came before it failed, and then its error', async () => {
    const { guard, entries } = stage();
    async function* failing() {
      yield chunkOf('one ');
      yield chunkOf('two ');
      throw new Error('It broke.');
    }
    const words: string[] = [];
    const read = async () => {
      const model = withSpendBudget(new PlayedModel({ stream: failing }), guard);
      for await (const chunk of await model.stream('Go.')) words.push(chunk.text);
    };
    await expect(read()).rejects.toThrow('It broke.');
    expect(words).toEqual(['one ', 'two ']);
    expect(await entries()).toMatchObject([{ outcome: 'metered', costNanoUsd: 2 * CENT }]);
  });

  it('still answers whole where it cannot stream', async () => {
    const { guard, entries } = stage();
    const model = withSpendBudget(new FakeListChatModel({ responses: ['Yes.'] }), guard, {
      provider: 'fake',
    });
    await expect(model.invoke('Go.')).rejects.toBeInstanceOf(InvalidArgumentError);
    expect(await entries()).toEqual([]);
  });

  it('is charged to each of two guards, once', async () => {
    const inner = stage();
    const outer = stage();
    const answer = async () => answerOf('Yes.', [5, 3]);
    const once = withSpendBudget(new PlayedModel({ answer }), inner.guard);
    const twice = withSpendBudget(withSpendBudget(once, outer.guard), inner.guard);
    const callbacks = [inner, outer].map(({ guard }) => new SpendBudgetCallbackHandler(guard));
    await twice.invoke('Go.', { callbacks });
    expect(await inner.entries()).toHaveLength(1);
    expect(await outer.entries()).toHaveLength(1);
  });

  it('settles where it fails before its stream comes about', async () => {
    const { guard, entries } = stage();
    class Failing extends PlayedModel {
      override _streamResponseChunks(): never {
        throw new Error('It never began.');
      }
    }
    const stream = withSpendBudget(new Failing({}), guard).stream('Go.');
    await expect(stream).rejects.toThrow('It never began.');
    expect(await entries()).toMatchObject([{ outcome: 'unknown' }]);
  });

  it('is refused for what is none', () => {
    const { guard } = stage();
    for (const wrong of [null, {}, 'gpt-4.1', () => {}]) {
      expect(() => withSpendBudget(wrong as never, guard)).toThrow(InvalidArgumentError);
    }
  });
});
