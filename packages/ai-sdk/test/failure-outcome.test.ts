import { describe, expect, it } from 'vitest';
import { failureOutcome } from '../src/failure-outcome.ts';

const failure = (fields: object): Error => Object.assign(new Error('It failed.'), fields);
const stream = { responseHeaders: { 'content-type': 'text/event-stream; charset=utf-8' } };
const wrapped = (cause: Error) => failure({ name: 'AI_APICallError', cause });

describe('failureOutcome', () => {
  it.each<readonly [string, unknown]>([
    ['a refusal', failure({ statusCode: 429 })],
    ['a server that is down', failure({ statusCode: 503 })],
    ['no connection', wrapped(failure({ cause: failure({ code: 'ECONNREFUSED' }) }))],
    ['no address', wrapped(failure({ code: 'ENOTFOUND' }))],
    ['no key', failure({ name: 'AI_LoadAPIKeyError' })],
    ['a prompt that cannot be sent', failure({ name: 'AI_UnsupportedFunctionalityError' })],
    ['an overload told inside a stream', failure({ statusCode: 529, ...stream })],
    [
      'a refusal behind AI Gateway',
      failure({
        name: 'GatewayRateLimitError',
        statusCode: 429,
        cause: failure({ statusCode: 429 }),
      }),
    ],
    ['a refusal by AI Gateway', failure({ name: 'GatewayAuthenticationError', statusCode: 401 })],
  ])('%s cost nothing', (_, error) => {
    expect(failureOutcome(error, false)).toEqual({ outcome: 'not-sent' });
  });

  it.each<readonly [string, unknown]>([
    ['an answer that broke', failure({ statusCode: 200, isRetryable: true })],
    ['a connection that was lost', wrapped(failure({ code: 'ECONNRESET' }))],
    ['an abort', new DOMException('aborted', 'AbortError')],
    ['a stream whose start could not be read', failure({ statusCode: 500, ...stream })],
    [
      'a status that AI Gateway made up',
      failure({ name: 'GatewayResponseError', statusCode: 500, cause: failure({}) }),
    ],
    ['a headers timeout', failure({ cause: failure({ code: 'UND_ERR_HEADERS_TIMEOUT' }) })],
    ['no error at all', 'oops'],
    ['nothing', undefined],
  ])('%s may have cost anything', (_, error) => {
    expect(failureOutcome(error, false)).toEqual({ outcome: 'unknown' });
  });

  it('ends on a cause that goes round', () => {
    const round = failure({});
    round.cause = round;
    expect(failureOutcome(round, false)).toEqual({ outcome: 'unknown' });
  });

  it('an abort before the call cost nothing', () => {
    expect(failureOutcome(new Error(), true)).toEqual({ outcome: 'not-sent' });
  });
});
