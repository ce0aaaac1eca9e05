import { describe, expect, it } from 'vitest';
import { failureOutcome } from '../src/failure-outcome.ts';

const failure = (fields: object): Error => Object.assign(new Error('It failed.'), fields);

describe('failureOutcome', () => {
  it.each<readonly [string, unknown]>([
    ['a refusal', failure({ status: 429 })],
    ['a server that is down', failure({ status: 503 })],
    ['a refusal in an older shape', failure({ response: { status: 400 } })],
    ['no connection', failure({ cause: failure({ cause: failure({ code: 'ECONNREFUSED' }) }) })],
  ])('%s cost nothing', (_, error) => {
    expect(failureOutcome(error)).toEqual({ outcome: 'not-sent' });
  });

  it.each<readonly [string, unknown]>([
    ['an answer that broke', failure({ status: 200 })],
    ['a connection that was lost', failure({ cause: failure({ code: 'ECONNRESET' }) })],
    ['an abort', new DOMException('aborted', 'AbortError')],
    ['no error at all', 'oops'],
  ])('%s may have cost anything', (_, error) => {
    expect(failureOutcome(error)).toEqual({ outcome: 'unknown' });
  });

  it('an abort for a reason that looks like a refusal may have cost anything', () => {
    const reason = failure({ status: 499 });
    const signal = AbortSignal.abort(reason);
    expect(failureOutcome(reason, signal)).toEqual({ outcome: 'unknown' });
    expect(failureOutcome(failure({ cause: reason }), signal)).toEqual({ outcome: 'unknown' });
    expect(failureOutcome(failure({ status: 499 }), signal)).toEqual({ outcome: 'not-sent' });
  });
});
