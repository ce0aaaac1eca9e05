import { numberAt } from '@hardcap/core/adapter';
import type { Attempt } from './attempt.ts';
import { inAttempt } from './attempt-context.ts';
import { type CallOptions, type ChatModel, derived } from './chat-model.ts';
import { hidesCaller, revealedCaller } from './hidden-caller.ts';
import { bareDelegatesOf } from './model-guard.ts';

type Callable = (...given: unknown[]) => Promise<unknown>;

/** The framework's `AsyncCaller`, through which models and embeddings send their requests. */
interface Caller {
  call(callable: Callable, ...given: unknown[]): Promise<unknown>;
  callWithOptions(options: unknown, callable: Callable, ...given: unknown[]): Promise<unknown>;
  /** Throws where the request is not to be sent again. */
  onFailedAttempt?(error: unknown): unknown;
}

/** Sees every request of a sender. */
export interface RequestObserver {
  /** Made once for all tries of one request. */
  observed(callable: Callable): Callable;
  /** Whether a request that has failed must not be sent again, whatever its error says. */
  isOver?(): boolean;
  /** How often a request is sent again, where not as often as the caller does. */
  readonly maxRetries?: number | undefined;
}

/** The object, sending every request so that it is observed. */
export function withObservedCaller<Sender extends object>(
  sender: Sender,
  observer: RequestObserver,
): Sender {
  const own: Record<string, unknown> = {};
  const { caller } = sender as { readonly caller?: Caller };
  if (caller !== undefined && sendsThroughCaller(sender)) {
    own['caller'] = observedCaller(caller, observer);
  }
  if (caller !== undefined && hidesCaller(sender)) {
    const { maxRetries } = sender;
    Object.assign(own, revealedCaller(sender, observedCaller(caller, { ...observer, maxRetries })));
  }
  for (const [name, delegate] of bareDelegatesOf(sender)) {
    own[name] = withObservedCaller(delegate, observer);
  }
  if (Object.keys(own).length === 0) return sender;
  return Object.defineProperties(derived(sender, own), sharedClients(sender));
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

/** Where packages keep the client of the provider, which they make with the first request. */
const CLIENTS = ['client', 'batchClient', 'streamingClient'] as const;

/** Keeps clients where they were: an object that lives for one call would make one for each. */
function sharedClients(sender: object): PropertyDescriptorMap {
  const shared: PropertyDescriptorMap = {};
  for (const name of CLIENTS) {
    let holder: object | null = sender;
    while (holder !== null && !Object.hasOwn(holder, name)) holder = Object.getPrototypeOf(holder);
    if (holder === null) continue;
    const clients = holder as Record<string, unknown>;
    shared[name] = {
      configurable: true,
      get: () => clients[name],
      set: (client: unknown) => {
        clients[name] = client;
      },
    };
  }
  return shared;
}

function observedCaller(caller: Caller, observer: RequestObserver): Caller {
  const { observed, isOver, maxRetries } = observer;
  const ending = derived(caller, {
    ...(maxRetries === undefined ? {} : { maxRetries }),
    onFailedAttempt: (error: unknown) => {
      if (isOver?.()) throw error;
      return caller.onFailedAttempt?.(error);
    },
  });
  return derived(caller, {
    call: (callable: Callable, ...given: unknown[]) => ending.call(observed(callable), ...given),
    callWithOptions: (options: unknown, callable: Callable, ...given: unknown[]) =>
      ending.callWithOptions(options, observed(callable), ...given),
  });
}

/** What an attempt is made with. */
export interface CountedSender {
  readonly model: ChatModel;
  readonly options: CallOptions;
}

/**
 * The model of an attempt, whose hidden retries are attempts of their own: packages send a request up
 * to seven times behind one call. Each but the first reserves anew, and one that failed settles.
 */
export function withCountedRetries(attempt: Attempt): CountedSender {
  const { maxRetries, options } = splitRetries(attempt);
  const model = withObservedCaller(attempt.model, {
    observed:
      (callable) =>
      async (...given) => {
        await attempt.beginRequest();
        try {
          const response = await inAttempt(attempt, () => callable(...given));
          attempt.answerRequest(response);
          return response;
        } catch (error) {
          await attempt.failRequest(attempt.failure(error));
          throw error;
        }
      },
    isOver: () => attempt.isOver,
    maxRetries,
  });
  return { model, options };
}

/**
 * Keeps the option `maxRetries` of a call to the framework's caller. Anthropic's package gives it to
 * the client of the provider as well, which would send again unseen.
 */
function splitRetries({ model, options }: Attempt): {
  readonly maxRetries: number | undefined;
  readonly options: CallOptions;
} {
  const maxRetries = numberAt(options, 'maxRetries');
  const { caller } = model as { readonly caller?: object };
  const isTaken = caller !== undefined && 'callWithRetries' in caller && sendsThroughCaller(model);
  if (maxRetries === undefined || !isTaken) return { maxRetries: undefined, options };
  const { maxRetries: _, ...others } = options;
  return { maxRetries, options: others };
}
