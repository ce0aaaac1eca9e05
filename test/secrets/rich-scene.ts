import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  type Budget,
  type CallRequest,
  createSpendGuard,
  HardcapError,
  type Identity,
  type SpendCall,
  type SpendGuard,
  type SpendGuardOptions,
  toHttpResponse,
  toSseEvent,
  type UsageSink,
} from '@hardcap/core';
import { expect, onTestFinished } from 'vitest';
import { TEST_PRICE_BOOK } from '../ai-sdk/prices.ts';
import { storeFile } from '../sqlite/store-file.ts';
import { type MarkedSecrets, shownAs } from './marked-secrets.ts';
import type { Traces } from './traces.ts';

export const USER = 'ann-who-may-be-seen';
export const HOUR = 3_600_000;

/** A clock that stands until it is moved. */
export class SceneClock {
  time: number = Date.parse('2026-11-30T12:00:00Z');
  readonly now = (): number => this.time;
}

/** A sink that can be taken away. */
export function removable(sink: UsageSink): { readonly sink: UsageSink; isAway: boolean } {
  const way = {
    isAway: false,
    sink: new Proxy<UsageSink>(sink, {
      get: (target, name: keyof UsageSink) => {
        if (name === 'opening' || name === 'flush') return target[name];
        return (request: never) => {
          if (way.isAway && name !== 'close') throw new Error('the connection is lost');
          return target[name](request);
        };
      },
    }),
  };
  return way;
}

/** One guard whose every word is listened to. */
export class RichScene {
  readonly traces: Traces;
  readonly secrets: MarkedSecrets;
  readonly clock: SceneClock;
  readonly guard: SpendGuard;
  readonly #journal: string = join(dirname(storeFile()), 'journal');

  constructor(
    sink: UsageSink,
    given: { traces: Traces; secrets: MarkedSecrets; clock: SceneClock },
    options: Partial<SpendGuardOptions> = {},
  ) {
    this.traces = given.traces;
    this.secrets = given.secrets;
    this.clock = given.clock;
    this.guard = createSpendGuard({
      budgets: budgetsOf(given.secrets),
      prices: TEST_PRICE_BOOK,
      sink,
      secrets: ['token'],
      identity: { token: given.secrets.guard },
      journal: this.#journal,
      now: this.clock.now,
      ...options,
      onEvent: (event) => {
        this.traces.add(`event ${event.type}`, event);
        options.onEvent?.(event);
      },
    });
    onTestFinished(() => this.guard.close());
  }

  /** What came of it is a trace; an error, too, and whatever a program would make of it. */
  async try<Value>(source: string, make: () => PromiseLike<Value>): Promise<Value | undefined> {
    try {
      const value = await make();
      this.traces.add(source, value);
      return value;
    } catch (error) {
      this.traces.add(`error of ${source}`, error);
      expect(HardcapError.isInstance(error), source).toBe(true);
      this.traces.add(`answer to ${source}`, await toHttpResponse(error).text());
      this.traces.add(`answer to ${source}`, [...toHttpResponse(error).headers]);
      this.traces.add(`answer to ${source}`, toSseEvent(error));
      return undefined;
    }
  }

  async admitted(source: string, request: CallRequest): Promise<SpendCall> {
    const reservation = await this.try(source, () => this.guard.reserve(request));
    if (reservation?.admitted !== true) throw new Error(`${source} was refused`);
    return reservation.call;
  }

  /** What was put on file. */
  revealJournal(): void {
    const folder = dirname(this.#journal);
    for (const name of readdirSync(folder)) {
      this.traces.add('journal', readFileSync(join(folder, name)));
    }
  }
}

/** A call of at most so many cents. */
export function callOf(identity: Identity, cents = 10): CallRequest {
  const shown = { user: USER, ...identity };
  const limits = { inputTokens: 0, maxOutputTokens: cents };
  return { identity: shown, provider: 'openai', model: 'cent', ...limits };
}

/** Budgets by what is secret, with all that can be said of one by its value. */
export function budgetsOf(secrets: MarkedSecrets): Budget[] {
  const perKey = { per: ['apiKey'], window: 'total' as const };
  return [
    { ...perKey, name: 'per-key', limit: { usd: '1' }, warnAt: [0.1, 0.5] },
    {
      ...perKey,
      name: 'overridden',
      limit: { usd: '100' },
      overrides: [
        { match: { apiKey: secrets.call }, limit: { usd: '0.01' } },
        { match: { apiKey: `${shownAs(secrets.call).slice(0, 8)}*` }, limit: { usd: '0.90' } },
      ],
      exempt: [{ apiKey: secrets.exempt }, { apiKey: shownAs(secrets.exempt) }],
    },
    { ...perKey, name: 'watched', limit: { usd: '0.05' }, mode: 'shadow' },
    {
      name: 'per-token',
      per: ['user', 'token'],
      limit: { tokens: 1_000 },
      window: { fixed: '1h' },
    },
  ];
}
