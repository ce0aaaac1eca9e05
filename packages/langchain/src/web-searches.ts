import { asObject, listAt, objectAt } from '@hardcap/core/adapter';

/** How many web searches a message, or a chunk of one, says were made. They are billed by the piece. */
export function webSearchesIn(message: unknown): number {
  const object = asObject(message);
  const blocks = listAt(object, 'content').map(asObject);
  const outputs = listAt(objectAt(object, 'additional_kwargs'), 'tool_outputs').map(asObject);
  return (
    blocks.filter(
      (block) => block?.['type'] === 'server_tool_use' && block['name'] === 'web_search',
    ).length + outputs.filter((output) => output?.['type'] === 'web_search_call').length
  );
}
