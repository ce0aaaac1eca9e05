import type { Refusal } from './protocol.ts';

interface OpenaiError {
  readonly message: string;
  readonly type: string;
  readonly code: string | null;
}

const BY_STATUS: Readonly<Record<number, OpenaiError>> = {
  401: {
    message:
      'Incorrect API key provided: wire. You can find your API key at https://platform.openai.com/account/api-keys.',
    type: 'invalid_request_error',
    code: 'invalid_api_key',
  },
  429: {
    message:
      'Rate limit reached for this model in organization org-wire on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000. Please try again in 2s. Visit https://platform.openai.com/account/rate-limits to learn more.',
    type: 'tokens',
    code: 'rate_limit_exceeded',
  },
  503: {
    message: 'That model is currently overloaded with other requests. Please retry your request.',
    type: 'server_error',
    code: null,
  },
};

const INVALID_REQUEST: OpenaiError = {
  message: 'Invalid request.',
  type: 'invalid_request_error',
  code: null,
};

export const OPENAI_SERVER_ERROR = {
  message: 'The server had an error while processing your request. Sorry about that!',
  type: 'server_error',
  param: null,
  code: null,
};

/** What OpenAI says with that status. */
export function openaiErrorBody({ status, message, parameter, code }: Refusal): string {
  const usual = BY_STATUS[status] ?? (status < 500 ? INVALID_REQUEST : OPENAI_SERVER_ERROR);
  const error = {
    message: message ?? usual.message,
    type: usual.type,
    param: parameter ?? null,
    code: code ?? usual.code,
  };
  return JSON.stringify({ error }, null, 2);
}
