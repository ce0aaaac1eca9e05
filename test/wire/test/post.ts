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
  gemini: '/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse',
};

const CONTENTS = [{ role: 'user', parts: [{ text: 'Say something.' }] }];

/** The path and the least body of every protocol that can stream, for what they have in common. */
export const STREAMING_CALLS: readonly [path: string, body: object][] = [
  [PATHS.chat, { model: 'gpt-5', stream: true }],
  [PATHS.responses, { model: 'gpt-5', stream: true }],
  [PATHS.messages, { model: 'claude-sonnet-4-5', max_tokens: 4096, stream: true }],
  [PATHS.gemini, { contents: CONTENTS }],
];

/** The same call for a whole answer, which Gemini has under a path of its own. */
export function wholeCall(path: string, body: object): [path: string, body: object] {
  const [start, method] = path.split(':');
  return method === undefined
    ? [path, { ...body, stream: false }]
    : [`${start}:generateContent`, body];
}
