import type { Generation } from '../generation.ts';

export function openaiChatFinish({ truncated, parts }: Generation): string {
  if (truncated) return 'length';
  return parts.some((part) => part.kind === 'tool-call') ? 'tool_calls' : 'stop';
}
