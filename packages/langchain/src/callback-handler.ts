import type { SpendGuard } from '@hardcap/core';
import { asObject } from '@hardcap/core/adapter';
import { isReservedBy } from './guarded-run.ts';
import { holesOf, holesOfAny } from './handler-holes.ts';
import { RunRegister } from './run-register.ts';
import { type RunStart, reserveRun } from './run-start.ts';
import type { SpendBudgetOptions } from './spend-budget-options.ts';

/** Options of {@link SpendBudgetCallbackHandler}. It cannot lower an output limit. */
export interface SpendBudgetHandlerOptions extends Omit<SpendBudgetOptions, 'minOutputTokens'> {
  /**
   * Makes models stream also where a whole answer was asked for, so that it can be cut.
   *
   * @default false
   */
  readonly preferStreaming?: boolean;
}

/** `@langchain/core/context`, of the copy that the program uses. */
export interface ContextModule {
  registerConfigureHook(options: { contextVar: string; inheritable?: boolean }): void;
  setContextVariable(name: PropertyKey, value: unknown): void;
}

const CONTEXT_VARIABLE = 'hardcap.spend-budget';

/**
 * A callback handler that reserves before a call and settles after it. For models that one cannot
 * guard by `withSpendBudget`: LangChain has ordinary ways to make a call that no handler hears of,
 * which the README lists.
 *
 * Calls of a model that is guarded by the same guard are left to it.
 */
export class SpendBudgetCallbackHandler {
  /** The framework adds only one handler of a name by its own. */
  readonly name = 'hardcap.spend-budget';
  // Both, or the framework neither waits for a refusal nor hands it on.
  readonly raiseError = true;
  readonly awaitHandlers = true;
  readonly ignoreLLM = false;
  readonly ignoreChain = true;
  readonly ignoreAgent = true;
  readonly ignoreRetriever = true;
  readonly ignoreCustomEvent = true;
  readonly lc_prefer_streaming: boolean;
  readonly #guard: SpendGuard;
  readonly #options: SpendBudgetHandlerOptions;
  readonly #runs: RunRegister = new RunRegister();
  #isGlobal = false;

  constructor(guard: SpendGuard, options: SpendBudgetHandlerOptions = {}) {
    this.#guard = guard;
    this.#options = options;
    this.lc_prefer_streaming = options.preferStreaming === true;
  }

  /** One handler has the open runs of all managers that know it. */
  copy(): this {
    return this;
  }

  /**
   * Attaches the handler to every run from here on, those too that are given other callbacks or none.
   * Call it when the program starts, before a server listens.
   *
   * ```ts
   * import * as context from '@langchain/core/context';
   * handler.registerGlobally(context);
   * ```
   */
  registerGlobally(context: ContextModule): void {
    context.registerConfigureHook({ contextVar: CONTEXT_VARIABLE, inheritable: true });
    context.setContextVariable(CONTEXT_VARIABLE, this);
    this.#isGlobal = true;
  }

  /**
   * Says which calls of a model the handler would not hear of, or could not cut, as it is attached now;
   * and warns of them. For the start of a program, with each of its models.
   */
  selfTest(model: object): string[] {
    const holes = this.#isGlobal ? holesOfAny(model) : holesOf(model, this);
    for (const hole of holes) console.warn(`hardcap: ${hole}`);
    return holes;
  }

  /** @throws BudgetExceededError when a budget refuses: the call is not made then. */
  async handleChatModelStart(
    serialized: unknown,
    messages: readonly (readonly unknown[])[],
    runId: string,
    _parentRunId?: string,
    extraParams?: unknown,
    _tags?: readonly string[],
    metadata?: unknown,
  ): Promise<void> {
    const list = messages[0] ?? [];
    await this.#start(runId, { serialized, messages: list, extraParams, metadata, isChat: true });
  }

  /** The same for models that take text. */
  async handleLLMStart(
    serialized: unknown,
    prompts: readonly string[],
    runId: string,
    _parentRunId?: string,
    extraParams?: unknown,
    _tags?: readonly string[],
    metadata?: unknown,
  ): Promise<void> {
    const messages = prompts.map((content) => ({ content }));
    await this.#start(runId, { serialized, messages, extraParams, metadata, isChat: false });
  }

  /** @throws BudgetExceededError when nothing can carry more: the stream ends then. */
  async handleLLMNewToken(
    token: string,
    _indices: unknown,
    runId: string,
    _parentRunId?: string,
    _tags?: readonly string[],
    fields?: unknown,
  ): Promise<void> {
    const run = await this.#runs.ofToken(runId);
    await run?.chunk(asObject(fields)?.['chunk'], token);
  }

  /** @throws BudgetExceededError when nothing can carry more: the stream ends then. */
  async handleChatModelStreamEvent(event: unknown, runId: string): Promise<void> {
    const run = await this.#runs.ofToken(runId);
    await run?.event(event);
  }

  async handleLLMEnd(
    output: unknown,
    runId: string,
    _parentRunId?: string,
    _tags?: readonly string[],
    extraParams?: unknown,
  ): Promise<void> {
    const run = await this.#runs.take(runId, output);
    if (asObject(extraParams)?.['cached'] === true) await run?.release();
    else await run?.end(output);
  }

  async handleLLMError(error: unknown, runId: string): Promise<void> {
    const run = await this.#runs.take(runId, error);
    await run?.fail(error);
  }

  async #start(runId: string, start: RunStart): Promise<void> {
    if (isReservedBy(this.#guard, start.serialized)) return;
    const open = () => reserveRun(start, this.#guard, this.#options);
    await this.#runs.start(runId, start.extraParams, open);
  }
}
