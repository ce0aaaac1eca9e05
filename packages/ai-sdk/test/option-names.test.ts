import { expect, test } from 'vitest';
import { optionNames } from '../src/option-names.ts';

const GIVEN = [
  ...['openai', 'openaiCompatible', 'anthropic', 'google', 'vertex', 'googleVertex'],
  ...['bedrock', 'amazonBedrock', 'my-proxy', 'myProxy', 'gateway'],
];

test.each<readonly [string, string, readonly string[]]>([
  ['openai.responses', 'gpt-5', ['openai', 'openaiCompatible']],
  ['azure.chat', 'prod', ['openai', 'openaiCompatible']],
  ['my-proxy.chat', 'm', ['openai', 'openaiCompatible', 'my-proxy', 'myProxy']],
  ['my-proxy', 'claude-opus-5', ['anthropic', 'my-proxy', 'myProxy']],
  ['anthropic.messages', 'claude-opus-5', ['anthropic']],
  ['google.generative-ai', 'gemini-2.5-pro', ['google', 'vertex', 'googleVertex']],
  ['google.vertex.chat', 'gemini-2.5-pro', ['google', 'vertex', 'googleVertex']],
  // OpenAI's package under a name of its own.
  [
    'google.chat',
    'gemini-2.5-pro',
    ['openai', 'openaiCompatible', 'google', 'vertex', 'googleVertex'],
  ],
  ['amazon-bedrock', 'anthropic.claude-opus-5', ['bedrock', 'amazonBedrock']],
  ['gateway', 'openai/gpt-5', GIVEN],
])('%s %s reads the options of %j', (provider, modelId, names) => {
  const providerOptions = Object.fromEntries(GIVEN.map((name) => [name, {}]));
  expect(optionNames({ providerOptions }, { provider, modelId })).toEqual(names);
});
