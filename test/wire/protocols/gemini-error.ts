import { geminiBody } from './gemini-json.ts';
import type { Refusal } from './protocol.ts';

const BY_STATUS: Readonly<Record<number, readonly [status: string, message: string]>> = {
  400: ['INVALID_ARGUMENT', 'Request contains an invalid argument.'],
  401: ['UNAUTHENTICATED', 'Request had invalid authentication credentials.'],
  403: ['PERMISSION_DENIED', 'The caller does not have permission'],
  404: ['NOT_FOUND', 'Requested entity was not found.'],
  429: [
    'RESOURCE_EXHAUSTED',
    'You exceeded your current quota, please check your plan and billing details.',
  ],
  500: ['INTERNAL', 'An internal error has occurred.'],
  503: [
    'UNAVAILABLE',
    'This model is currently experiencing high demand. Spikes in demand are usually temporary. Please try again later.',
  ],
  504: ['DEADLINE_EXCEEDED', 'Deadline expired before operation could complete.'],
};

interface GeminiError {
  readonly code: number;
  readonly message: string;
  readonly status: string;
}

/** What Google says with that status, also in the middle of a stream. */
export function geminiError({ status, message }: Refusal): { readonly error: GeminiError } {
  const fallback = BY_STATUS[status < 500 ? 400 : 500] as readonly [string, string];
  const [name, usual] = BY_STATUS[status] ?? fallback;
  return { error: { code: status, message: message ?? usual, status: name } };
}

export function geminiErrorBody(refusal: Refusal): string {
  return geminiBody({ ...geminiError(refusal) });
}
