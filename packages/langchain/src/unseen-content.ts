import { asObject, type JsonObject, listAt, objectAt, textAt } from '@hardcap/core/adapter';

/** A tool that the provider runs: what it reads is input that nobody here sees; and what is no text. */
const UNSEEN =
  /^server_tool|(?:^|_)tool_result$|^mcp_|^(?:image|audio|video|file|media|compaction)/;
const UNSEEN_PARTS = ['executableCode', 'codeExecutionResult', 'inlineData', 'fileData'] as const;

/** Whether a message, or a chunk of one, has something whose tokens cannot be told from it. */
export function hasUnseenContent(
  message: JsonObject,
  generationInfo: JsonObject | undefined,
): boolean {
  const kwargs = objectAt(message, 'additional_kwargs');
  const places = [generationInfo, kwargs, objectAt(message, 'response_metadata')];
  return (
    listAt(message, 'content').some(isUnseen) ||
    kwargs?.['audio'] != null ||
    places.some((place) => isGiven(place?.['tool_outputs']) || place?.['groundingMetadata'] != null)
  );
}

export function isUnseen(item: unknown): boolean {
  const block = asObject(item);
  const type = textAt(block, 'type') ?? '';
  return UNSEEN.test(type) || UNSEEN_PARTS.some((part) => block?.[part] !== undefined);
}

function isGiven(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value != null;
}
