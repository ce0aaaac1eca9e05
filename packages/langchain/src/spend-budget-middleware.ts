import {
  BudgetExceededError,
  InvalidArgumentError,
  type Refusal,
  type SpendGuard,
} from '@hardcap/core';
import { AIMessage } from '@langchain/core/messages';
import { agentContext, type SpendBudgetContext } from './agent-context.ts';
import type { AgentModelRequest, SpendBudgetMiddleware } from './agent-middleware.ts';
import { type ChatModel, type GuardableChatModel, isChatModel } from './chat-model.ts';
import { denialInTools } from './denial-in-tools.ts';
import { guardedModel } from './guarded-model.ts';
import { modelGuardOf } from './model-guard.ts';
import { accountsOf, latestOwnDenial } from './own-denial.ts';
import type { SpendBudgetOptions } from './spend-budget-options.ts';

/** Options of {@link spendBudgetMiddleware}. */
export interface SpendBudgetMiddlewareOptions extends SpendBudgetOptions {
  /**
   * What becomes of a run whose model call a budget refuses or cuts, or one of whose tools it refused:
   * it ends with a message, throws the `BudgetExceededError`, or pauses until it is resumed, which
   * takes a checkpointer.
   *
   * @default 'end'
   */
  readonly exitBehavior?: 'end' | 'error' | 'interrupt';
  /** The message that a run ends with. @default that the spending limit is reached */
  readonly message?: string | ((error: BudgetExceededError) => string);
  /** A cheaper model for the calls that the budget refuses to the agent's own. */
  readonly downgradeTo?: GuardableChatModel;
  /**
   * The share of a limit, spent or held, from which on `downgradeTo` is used at once: 0.8, say.
   *
   * @default only where the agent's own model is refused
   */
  readonly downgradeAt?: number;
}

/** What a paused run asks: its `__interrupt__` has it as the value. Resume it with anything. */
export interface BudgetInterrupt {
  readonly type: 'budget-exceeded';
  readonly message: string;
  readonly refusals: readonly Refusal[];
}

/**
 * Middleware for `createAgent` of `langchain` 1: gives the agent a guarded model, and ends its run
 * well where a budget refuses. Put it last: then it sees each call as it is sent, those too that an
 * outer middleware retries. It sees no calls that other middlewares or tools make: guard their models.
 */
export function spendBudgetMiddleware(
  guard: SpendGuard,
  options: SpendBudgetMiddlewareOptions = {},
): SpendBudgetMiddleware {
  checkOptions(options);
  const middleware: SpendBudgetMiddleware = {
    name: 'hardcap.spendBudget',
    contextSchema: agentContext,
    wrapModelCall: (request, handler) => new AgentCall(guard, options, request, handler).run(),
  };
  return Object.assign(middleware, { [Symbol.for('AgentMiddleware')]: true });
}

function checkOptions({
  downgradeTo,
  downgradeAt,
  exitBehavior,
}: SpendBudgetMiddlewareOptions): void {
  if (downgradeTo !== undefined && !isChatModel(downgradeTo)) {
    throw new InvalidArgumentError('`downgradeTo` is a chat model.');
  }
  if (downgradeAt !== undefined && !(downgradeAt > 0 && downgradeAt <= 1)) {
    throw new InvalidArgumentError('`downgradeAt` is a share of the limit above 0, up to 1.');
  }
  if (exitBehavior !== undefined && !['end', 'error', 'interrupt'].includes(exitBehavior)) {
    throw new InvalidArgumentError('`exitBehavior` is "end", "error" or "interrupt".');
  }
}

/** One step of an agent: a call of its model, and what is done where a budget is in the way. */
class AgentCall<Request extends AgentModelRequest, Answer> {
  readonly #guard: SpendGuard;
  readonly #options: SpendBudgetMiddlewareOptions;
  readonly #request: Request;
  readonly #handler: (request: Request) => Answer | PromiseLike<Answer>;

  constructor(
    guard: SpendGuard,
    options: SpendBudgetMiddlewareOptions,
    request: Request,
    handler: (request: Request) => Answer | PromiseLike<Answer>,
  ) {
    this.#guard = guard;
    this.#options = options;
    this.#request = request;
    this.#handler = handler;
  }

  async run(): Promise<Answer> {
    let denial = await denialInTools(this.#request.messages, () => this.#latestDenial());
    for (;;) {
      if (denial === undefined) {
        try {
          return await this.#make();
        } catch (error) {
          denial = BudgetExceededError.find(error);
          if (denial === undefined) throw error;
        }
      }
      const { exitBehavior = 'end' } = this.#options;
      if (exitBehavior === 'error') throw denial;
      if (exitBehavior === 'end') return this.#end(denial) as Answer;
      // Throws for the run to pause; when it is resumed, the step begins anew and comes past it.
      this.#pause(denial);
      denial = undefined;
    }
  }

  /** With the agent's own model, or with the cheaper one near a limit and where that is refused. */
  async #make(): Promise<Answer> {
    const { downgradeTo } = this.#options;
    if (downgradeTo === undefined) return this.#makeWith(this.#request.model);
    if (await this.#isNearLimit()) return this.#makeWith(downgradeTo);
    try {
      return await this.#makeWith(this.#request.model);
    } catch (error) {
      if (BudgetExceededError.find(error) === undefined) throw error;
      return this.#makeWith(downgradeTo);
    }
  }

  async #makeWith(model: unknown): Promise<Answer> {
    if (!isChatModel(model)) {
      throw new InvalidArgumentError(
        'The model of the agent is no chat model that can be guarded.',
      );
    }
    return this.#handler({ ...this.#request, model: this.#guarded(model) });
  }

  /** Guarded once, by what was said where it was guarded before and by the context of the run. */
  #guarded(given: ChatModel): ChatModel {
    const before = modelGuardOf(given);
    const isOurs = before?.guard === this.#guard;
    const model = isOurs ? before.model : given;
    const options = isOurs ? { ...this.#options, ...before.options } : this.#options;
    return guardedModel(model, this.#guard, options, this.#context.hardcap);
  }

  get #context(): SpendBudgetContext {
    return agentContext.parse(this.#request.runtime.context ?? {});
  }

  /** Of this run, as far as its identity can tell. */
  async #latestDenial(): Promise<BudgetExceededError | undefined> {
    const { model } = this.#request;
    if (!isChatModel(model)) return undefined;
    const byDefault = await modelGuardOf(this.#guarded(model))?.attempts.identityOf(model);
    return latestOwnDenial(this.#guard, { given: this.#context.hardcap?.identity, byDefault });
  }

  async #isNearLimit(): Promise<boolean> {
    const { downgradeAt, identity } = this.#options;
    if (downgradeAt === undefined) return false;
    const own = typeof identity === 'function' ? {} : identity;
    const who = { ...own, ...this.#context.hardcap?.identity };
    const accounts = await accountsOf(this.#guard, who);
    return accounts.some(
      ({ limit, committed, held }) => limit !== null && committed + held >= downgradeAt * limit,
    );
  }

  #end(denial: BudgetExceededError): AIMessage {
    const { message = 'I have to stop here: the spending limit is reached.' } = this.#options;
    const { code, status } = denial;
    const { retryAfterMs } = denial.denial;
    return new AIMessage({
      content: typeof message === 'function' ? message(denial) : message,
      response_metadata: { hardcap: { code, status, retryAfterMs } },
    });
  }

  #pause(denial: BudgetExceededError): void {
    const { interrupt } = this.#request.runtime;
    if (interrupt === undefined) throw denial;
    const { message } = denial;
    const { refusals } = denial.denial;
    interrupt({ type: 'budget-exceeded', message, refusals } satisfies BudgetInterrupt as never);
  }
}
