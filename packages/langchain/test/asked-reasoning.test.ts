import { describe, expect, it } from 'vitest';
import { askedReasoning } from '../src/asked-reasoning.ts';

describe('whether a call asks for reasoning', () => {
  it.each<readonly [object, boolean | undefined]>([
    [{}, undefined],
    [{ thinking: { type: 'enabled', budget_tokens: 2_000 } }, true],
    [{ thinking: { type: 'adaptive' } }, true],
    [{ thinking: { type: 'disabled' } }, false],
    [{ reasoning_effort: 'low' }, true],
    [{ reasoning_effort: 'none' }, false],
    [{ reasoning: { effort: 'high' } }, true],
    [{ reasoning: { enabled: false } }, false],
    [{ generationConfig: { thinkingConfig: { thinkingBudget: 0 } } }, false],
    [{ additionalModelRequestFields: { reasoning_config: { type: 'enabled' } } }, true],
    [{ reasoning_effort: 'none', thinking: { type: 'enabled' } }, true],
  ])('%j: %s', (params, asked) => {
    expect(askedReasoning({ ...params })).toBe(asked);
  });
});
