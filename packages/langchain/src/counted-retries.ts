import type { Attempt } from './attempt.ts';
import { delegatesOf, derived } from './chat-model.ts';
import { failureOutcome } from './failure-outcome.ts';

type Callable = (...given: unknown[]) => Promise<unknown>;

/** The framework's `AsyncCaller`, through which models and embeddings send their requests. */
interface Caller {
  call(callable: Callable, ...given: unknown[]): Promise<unknown>;
  callWithOptions(options: unknown, callable: Callable, ...given: unknown[]): Promise<unknown>;
}

/** The object, sending every request through `observed`, made once for each of its requests. */
export function withObservedCaller<Sender extends object>(
  sender: Sender,
  observed: (callable: Callable) => Callable,
): Sender {
  const own: Record<string, unknown> = {};
  const { caller } = sender as { readonly caller?: Caller };
  if (caller !== undefined && sendsThroughCaller(sender)) {
    own['caller'] = observedCaller(caller, observed);
  }
  for (const [name, delegate] of delegatesOf(sender)) {
    own[name] = withObservedCaller(delegate, observed);
  }
  return Object.keys(own).length === 0 ? sender : derived(sender, own);
}

const SENDS = /\.caller\s*\??\.\s*call/;
const sending: WeakMap<object, boolean> = new WeakMap();

/**
 * Whether the class of an object sends its requests through its caller. All have one; but a class that
 * does not use it may have private members, which an object derived from it could not reach.
 */
function sendsThroughCaller(sender: object): boolean {
  let sends = false;
  for (
    let holder: unknown = Object.getPrototypeOf(sender);
    typeof holder === 'object' && holder !== null && !sends;
    holder = Object.getPrototypeOf(holder)
  ) {
    const maker = holder.constructor;
    sends = sending.get(maker) ?? SENDS.test(Function.prototype.toString.call(maker));
    sending.set(maker, sends);
  }
  return sends;
}

function observedCaller(caller: Caller, observed: (callable: Callable) => Callable): Caller {
  return derived(caller, {
    call: (callable: Callable, ...given: unknown[]) => caller.call(observed(callable), ...given),
    callWithOptions: (options: unknown, callable: Callable, ...given: unknown[]) =>
      caller.callWithOptions(options, observed(callable), ...given),
  });
}

/**
 * The model of an attempt, whose hidden retries are attempts of their own: packages send a request up
 * to seven times behind one call. Each but the first reserves anew, and one that failed settles.
 */
export function withCountedRetries<Model extends object>(model: Model, attempt: Attempt): Model {
  return withObservedCaller(model, (callable) => {
    let hasFailed = false;
    return async (...given) => {
      if (hasFailed) await attempt.reserveAgain();
      try {
        return await callable(...given);
      } catch (error) {
        hasFailed = true;
        await attempt.settle(failureOutcome(error));
        throw error;
      }
    };
  });
}
