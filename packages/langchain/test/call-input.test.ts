import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages';
import { describe, expect, it } from 'vitest';
import { callInput } from '../src/call-input.ts';

const PNG = 'iVBORw0KGgo=';
const PDF = 'JVBERi0=';

describe('the input of a call', () => {
  it('has the texts of all messages, and each call and result of a tool', () => {
    const messages = [
      new SystemMessage('Be brief.'),
      new HumanMessage({ content: [{ type: 'text', text: 'Look.' }] }),
      new AIMessage({
        content: 'I look.',
        tool_calls: [{ name: 'look', args: { at: 1 }, id: 'c1' }],
      }),
      new ToolMessage({ content: 'Seen.', tool_call_id: 'c1' }),
    ];
    const input = callInput(messages, {});
    expect(input.messages).toBe(4);
    expect(input.texts).toEqual(['Be brief.', 'Look.', 'I look.']);
    expect(input.toolPayloads).toEqual([['look', { at: 1 }], 'Seen.']);
    expect(input.serverState).toBe(false);
  });

  it('has reasoning and signatures that are sent back', () => {
    const signature = 's'.repeat(300);
    const messages = [
      new AIMessage({ content: [{ type: 'thinking', thinking: 'Hm.', signature }] }),
      new AIMessage({
        content: '',
        additional_kwargs: { reasoning: { encrypted_content: signature } },
      }),
    ];
    expect(callInput(messages, {}).texts).toEqual(['Hm.', signature, '', signature]);
  });

  it.each<readonly [string, object]>([
    ['OpenAI', { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } }],
    ['OpenAI, in short', { type: 'image_url', image_url: `data:image/png;base64,${PNG}` }],
    ['Responses', { type: 'input_image', image_url: `data:image/png;base64,${PNG}` }],
    [
      'Anthropic',
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
    ],
    ['version 0', { type: 'image', source_type: 'base64', mime_type: 'image/png', data: PNG }],
    ['version 1', { type: 'image', mimeType: 'image/png', data: PNG }],
    ['Google', { inlineData: { mimeType: 'image/png', data: PNG } }],
  ])('has an image in the shape of %s', (_, block) => {
    const message = new HumanMessage({ content: [block as never] });
    expect(callInput([message], {}).media).toEqual([{ kind: 'image', data: PNG }]);
  });

  it.each<readonly [string, object]>([
    ['a PDF of Anthropic', { type: 'document', source: { type: 'base64', data: PDF } }],
    ['a file of OpenAI', { type: 'file', file: { file_data: PDF } }],
    ['a file that the provider keeps', { type: 'input_file', file_id: 'f1' }],
    ['media of Google', { type: 'media', mimeType: 'application/pdf', data: PDF }],
  ])('cannot count %s', (_, block) => {
    const message = new HumanMessage({ content: [block as never] });
    expect(callInput([message], {}).media).toEqual([{ kind: 'file' }]);
  });

  it('has text that comes as a document', () => {
    const source = { type: 'text', media_type: 'text/plain', data: 'A long story.' };
    const message = new HumanMessage({ content: [{ type: 'document', source } as never] });
    expect(callInput([message], {})).toMatchObject({ texts: ['A long story.'], media: [] });
  });

  it('has tools, formats and long settings, and no short ones', () => {
    const tool = { type: 'function', function: { name: 'look', parameters: {} } };
    const format = { type: 'json_schema', json_schema: { schema: {} } };
    const instructions = 'Be kind. '.repeat(20);
    const params = {
      model: 'm',
      temperature: 1,
      tools: [tool],
      response_format: format,
      instructions,
    };
    expect(callInput([], params)).toMatchObject({
      tools: [tool],
      responseFormat: [format],
      toolPayloads: [instructions],
    });
  });

  it.each<readonly [string, object, boolean]>([
    ['a function', { tools: [{ type: 'function', function: {} }] }, false],
    ['a tool of Anthropic', { tools: [{ name: 'look', input_schema: {} }] }, false],
    ['functions of Google', { tools: [{ functionDeclarations: [{ name: 'look' }] }] }, false],
    ['a shell that the client runs', { tools: [{ type: 'bash_20250124', name: 'bash' }] }, false],
    [
      'a shell of OpenAI',
      { tools: [{ type: 'shell', environment: { type: 'container_auto' } }] },
      true,
    ],
    [
      'a shell of the client',
      { tools: [{ type: 'shell', environment: { type: 'local' } }] },
      false,
    ],
    ['a search of a gateway', { plugins: [{ id: 'web' }] }, true],
    ['no plugins', { plugins: [] }, false],
    ['a web search of OpenAI', { tools: [{ type: 'web_search' }] }, true],
    ['a web search of Anthropic', { tools: [{ type: 'web_search_20250305', name: 's' }] }, true],
    ['a search of Google', { tools: [{ googleSearch: {} }] }, true],
    ['an earlier response', { previous_response_id: 'r1' }, true],
    ['no servers', { mcp_servers: [] }, false],
    ['a server', { mcp_servers: [{ url: 'u' }] }, true],
  ])('says whether %s brings input that nobody here sees', (_, params, serverState) => {
    expect(callInput([], { ...params }).serverState).toBe(serverState);
  });
});
