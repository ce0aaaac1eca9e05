import { describe, expect, it } from 'vitest';
import { modelName } from '../src/model-name.ts';

describe('the name of a model', () => {
  it.each([
    ['openai', 'openai', 'openai'],
    ['azure', 'azure_openai', 'azure'],
    ['openai', 'deepseek', 'deepseek'],
    ['amazon_bedrock', 'chat_bedrock_converse', 'amazon_bedrock'],
    [undefined, 'my-model', 'my-model'],
    ['Custom', 'custom', 'custom'],
  ])('of %s, which calls its kind %s, is priced as one of %s', (stated, kind, provider) => {
    const lsParams = { ls_provider: stated, ls_model_name: 'm-1' };
    expect(modelName({ lsParams, model: {}, kind })).toEqual({ provider, model: 'm-1' });
  });

  it.each([
    ['openai', 'dear', 'dear'],
    ['openai', undefined, 'm-1'],
    ['openai', null, ''],
    ['azure', 'dear', 'm-1'],
  ])('is the one that is sent: %s, %s', (stated, sent, name) => {
    const lsParams = { ls_provider: stated, ls_model_name: 'm-1' };
    const invocationParams = { model: sent };
    const { model } = modelName({ lsParams, invocationParams, model: {}, kind: 'openai' });
    expect(model).toBe(name);
  });

  it('is looked for where models keep it', () => {
    const nameOf = (model: object) => modelName({ lsParams: {}, model, kind: 'k' }).model;
    expect(nameOf({ model: 'a' })).toBe('a');
    expect(nameOf({ modelName: 'b' })).toBe('b');
    expect(nameOf({ modelId: 'c' })).toBe('c');
    expect(nameOf({})).toBe('');
  });
});
