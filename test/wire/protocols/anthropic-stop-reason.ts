import type { Generation } from '../generation.ts';

export function anthropicStopReason({ truncated, parts }: Generation): string {
  if (truncated) return 'max_tokens';
  return parts.some((part) => part.kind === 'tool-call') ? 'tool_use' : 'end_turn';
}
