import type { Refusal } from './protocol.ts';

const BY_STATUS: Readonly<Record<number, readonly [type: string, message: string]>> = {
  400: ['invalid_request_error', 'Invalid request'],
  401: ['authentication_error', 'invalid x-api-key'],
  402: ['billing_error', 'Your credit balance is too low to access the Anthropic API.'],
  403: ['permission_error', 'Your API key does not have permission to use the specified resource.'],
  404: ['not_found_error', 'Not found'],
  413: ['request_too_large', 'Request exceeds the maximum size'],
  429: [
    'rate_limit_error',
    "This request would exceed your organization's rate limit of 30,000 input tokens per minute.",
  ],
  500: ['api_error', 'Internal server error'],
  529: ['overloaded_error', 'Overloaded'],
};

/** What Anthropic says with that status. */
export function anthropicErrorBody({ status, message }: Refusal, suffix: string): string {
  const [type, usual] = BY_STATUS[status] ?? ['api_error', 'Internal server error'];
  return JSON.stringify({
    type: 'error',
    error: { type, message: message ?? usual },
    request_id: `req_${suffix}`,
  });
}
