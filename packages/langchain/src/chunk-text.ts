import { asObject, type JsonObject, listAt, objectAt, textAt } from '@hardcap/core/adapter';

/** What a chunk of a message adds to the output: text, visible reasoning, and arguments of tools. */
export function chunkText(message: JsonObject): string {
  let text = textAt(message, 'content') ?? '';
  for (const item of listAt(message, 'content')) text += blockText(item);
  const kwargs = objectAt(message, 'additional_kwargs');
  text += textAt(kwargs, 'reasoning_content') ?? '';
  // How OpenAI's protocol called tools at first, and still may.
  text += textAt(objectAt(kwargs, 'function_call'), 'arguments') ?? '';
  for (const call of listAt(message, 'tool_call_chunks'))
    text += textAt(asObject(call), 'args') ?? '';
  return text;
}

function blockText(item: unknown): string {
  const block = asObject(item);
  return textAt(block, 'text') ?? textAt(block, 'thinking') ?? textAt(block, 'reasoning') ?? '';
}
