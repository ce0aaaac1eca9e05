import type { WireServer } from '../wire-server.ts';

export function post(
  server: WireServer,
  path: string,
  body: unknown,
  signal?: AbortSignal,
): Promise<Response> {
  const text = JSON.stringify(body);
  return fetch(server.url + path, { method: 'POST', body: text, ...(signal ? { signal } : {}) });
}

const PATHS = {
  chat: '/v1/chat/completions',
  responses: '/v1/responses',
  messages: '/v1/messages',
};

/** The path and the least body of every protocol that can stream, for what they have in common. */
export const STREAMING_CALLS: readonly [path: string, body: object][] = [
  [PATHS.chat, { model: 'gpt-5', stream: true }],
  [PATHS.responses, { model: 'gpt-5', stream: true }],
  [PATHS.messages, { model: 'claude-sonnet-4-5', max_tokens: 4096, stream: true }],
];
