import type { Settlement, SpendCall } from '@hardcap/core';
import type { LinkedAbort } from '@hardcap/core/adapter';
import { failureOutcome } from './failure-outcome.ts';
import type { WrappedModel } from './middleware.ts';
import type { ModelCall } from './model-call.ts';
import { type FinalReport, reportSettlement } from './report-settlement.ts';
import { askedTier, servedTier } from './service-tier.ts';
import { WebSearches } from './web-searches.ts';
import { wireOutputLimit } from './wire-body.ts';
import type { OutputLimit } from './wire-limits.ts';

export interface AttemptDetails {
  readonly spend: SpendCall;
  /** The very object that the SDK's own closures send. */
  readonly given: object;
  readonly call: ModelCall;
  readonly limit: OutputLimit;
  readonly model: WrappedModel;
  readonly longCacheWrites: boolean;
  readonly swallowsRaw: boolean;
  readonly onCut: 'error' | 'length';
  readonly stop: LinkedAbort;
}

/** One admitted attempt: how it is sent, and how it ends. */
export class Attempt {
  readonly spend: SpendCall;
  readonly model: WrappedModel;
  readonly longCacheWrites: boolean;
  readonly swallowsRaw: boolean;
  readonly onCut: 'error' | 'length';
  readonly searches: WebSearches;
  readonly #given: object;
  readonly #call: ModelCall;
  readonly #limit: OutputLimit;
  readonly #stop: LinkedAbort;
  readonly #askedTier: string | undefined;

  constructor(details: AttemptDetails) {
    this.spend = details.spend;
    this.model = details.model;
    this.longCacheWrites = details.longCacheWrites;
    this.swallowsRaw = details.swallowsRaw;
    this.onCut = details.onCut;
    this.searches = new WebSearches(details.call, details.model);
    this.#given = details.given;
    this.#call = details.call;
    this.#limit = details.limit;
    this.#stop = details.stop;
    this.#askedTier = askedTier(details.call, details.model);
  }

  /**
   * Whatever goes wrong between the reservation and the provider's answer settles the call.
   *
   * @throws what the work throws, or why the guard has stopped the call.
   */
  async orSettle<Result>(work: () => Promise<Result>): Promise<Result> {
    const isAborted = this.#call.abortSignal?.aborted === true;
    try {
      return await work();
    } catch (error) {
      await this.settle(failureOutcome(error, isAborted));
      throw this.spend.stopReason ?? error;
    }
  }

  /**
   * Sends the call: by the SDK's closure as it was given, or through the model with a lower output
   * limit where no more was admitted.
   */
  async send<Result>(
    asGiven: () => PromiseLike<Result>,
    changed: (params: never) => PromiseLike<unknown>,
  ): Promise<Result> {
    const sent = this.#admittedCall();
    // The wrapped model is what the closure calls, so this is the same call with other parameters.
    return sent === this.#given ? asGiven() : ((await changed(sent as never)) as Result);
  }

  /**
   * Where something overrode the output limit on its way to the wire, holds what may come now; the
   * stream is cut at once where that is refused.
   */
  async holdWireLimit(result: unknown): Promise<void> {
    const limit = wireOutputLimit(result);
    const { admittedOutputTokens: admitted } = this.spend;
    if (limit === undefined || admitted === null || limit <= admitted) return;
    await this.spend.meter({ usage: { output: limit } });
  }

  /** The settlement of what the provider reported; undefined where it reported nothing. */
  reported(
    report: Pick<FinalReport, 'usage' | 'providerMetadata' | 'servedModel'> & { body?: unknown },
  ): Settlement | undefined {
    const { model, longCacheWrites } = this;
    return reportSettlement({
      ...report,
      model,
      longCacheWrites,
      serviceTier: servedTier(report, this.#askedTier),
      webSearches: this.searches.count,
    });
  }

  /** Settles; what goes wrong shows in the guard's events and breaks nobody's result or stream. */
  async settle(settlement: Settlement): Promise<void> {
    try {
      await this.spend.settle(settlement);
    } catch {
      // The hold stays, and is charged when it expires.
    } finally {
      this.#stop.unlink();
    }
  }

  #admittedCall(): object {
    const { clamped, admittedOutputTokens } = this.spend;
    return clamped && admittedOutputTokens !== null
      ? this.#limit.lowered(admittedOutputTokens)
      : this.#call;
  }
}
