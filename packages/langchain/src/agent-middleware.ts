import type { SpendBudgetContext } from './agent-context.ts';

/** What `createAgent` asks of a model call's hook; structural, so that no version of it is needed. */
export interface AgentModelRequest {
  readonly model: unknown;
  readonly messages: readonly unknown[];
  readonly runtime: {
    readonly context?: unknown;
    readonly interrupt?: ((value: never) => unknown) | undefined;
  };
}

/** What {@link spendBudgetMiddleware} makes: an agent middleware of `langchain` 1. */
export interface SpendBudgetMiddleware {
  readonly name: string;
  readonly contextSchema: typeof import('./agent-context.ts').agentContext;
  wrapModelCall<Request extends AgentModelRequest, Answer>(
    request: Request,
    handler: (request: Request) => Answer | PromiseLike<Answer>,
  ): Promise<Answer>;
  /** For the types of the agent: nothing is there. */
  readonly '~middlewareTypes'?: {
    readonly Schema: undefined;
    readonly ContextSchema: typeof import('./agent-context.ts').agentContext;
    readonly FullContext: SpendBudgetContext;
    readonly Tools: readonly [];
    readonly StreamTransformers: readonly [];
  };
}
