import type { Awaitable } from '../../src/index.ts';
import { ReachedSink } from './reached-sink.ts';

/** What is lost on the way: the request, so that nothing happens, or only the reply. */
export type Loss = 'request' | 'reply';

/** A sink behind a connection that can be lost; what gets through really happens. */
export class AwaySink extends ReachedSink {
  /** Null: the connection works. */
  lost: Loss | null = null;
  /** Answers and failures come at once, or as a promise. */
  isPrompt = false;
  /** Operations that came in, such as `settle 1`, whatever became of them. */
  readonly asked: string[] = [];

  protected over<Answer>(operation: string, carryOut: () => Awaitable<Answer>): Awaitable<Answer> {
    this.asked.push(operation);
    const { lost } = this;
    const answered = (): Awaitable<Answer> => {
      const answer = lost === 'request' ? undefined : carryOut();
      if (lost !== null) throw new Error('connection lost');
      return answer as Awaitable<Answer>;
    };
    return this.isPrompt ? answered() : Promise.resolve().then(answered);
  }
}
