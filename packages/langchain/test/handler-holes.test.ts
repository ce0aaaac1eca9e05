import { SyntheticEmbeddings } from '@langchain/core/utils/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SpendBudgetCallbackHandler } from '../src/callback-handler.ts';
import { withSpendBudget } from '../src/with-spend-budget.ts';
import { PlayedModel, stage } from './stage.ts';

const EVENTS = /streamEvents\(input\) without a version/;

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => {});
});
afterEach(() => {
  vi.restoreAllMocks();
});

describe('the self-test of a handler', () => {
  it('warns of what it does not hear of, wherever it is attached', () => {
    const { guard } = stage();
    const handler = new SpendBudgetCallbackHandler(guard);
    const model = new PlayedModel({}, { callbacks: [handler] });
    expect(handler.selfTest(model)).toEqual([expect.stringMatching(EVENTS)]);
    expect(console.warn).toHaveBeenCalledOnce();
  });

  it('warns where it is not with the model', () => {
    const { guard } = stage();
    const handler = new SpendBudgetCallbackHandler(guard);
    const found = handler.selfTest(new PlayedModel({}));
    expect(found.join('\n')).toContain('does not have the handler itself');
    handler.registerGlobally({ registerConfigureHook: () => {}, setContextVariable: () => {} });
    expect(handler.selfTest(new PlayedModel({}))).toEqual([expect.stringMatching(EVENTS)]);
  });

  it('has nothing to say of what is guarded, and sends embeddings there', () => {
    const { guard } = stage();
    const handler = new SpendBudgetCallbackHandler(guard);
    expect(handler.selfTest(withSpendBudget(new PlayedModel({}), guard))).toEqual([]);
    const embeddings = new SyntheticEmbeddings({ vectorSize: 2 });
    expect(handler.selfTest(embeddings)).toEqual([expect.stringContaining('withSpendBudget')]);
  });
});
