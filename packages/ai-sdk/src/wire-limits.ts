import { limitWithFallbacks } from './fallback-models.ts';
import { googleLimit } from './google-limit.ts';
import type { ModelId } from './middleware.ts';
import type { ModelCall } from './model-call.ts';
import { plainLimit } from './plain-limit.ts';
import { providerFamily } from './provider-family.ts';
import { thinkingLimit } from './thinking-limit.ts';

/** What bounds the output of a call on the wire, thinking and all choices included. */
export interface OutputLimit {
  /** Undefined: only the model's own maximum. */
  readonly tokens: number | undefined;
  /** The least that lowering may leave; undefined where nothing the call can say is obeyed. */
  readonly leastTokens: number | undefined;
  /** The call as it must be sent for the wire to allow no more than so many tokens. */
  lowered(tokens: number): ModelCall;
}

/**
 * Reads the output limit that a call will have on the wire, which is not `maxOutputTokens`: packages
 * add thinking budgets to it and let provider options override it.
 *
 * @throws InvalidArgumentError for several choices without a limit, which nothing bounds.
 */
export function outputLimit(call: ModelCall, model: ModelId, minOutputTokens: number): OutputLimit {
  const family = providerFamily(model);
  switch (family) {
    case 'anthropic':
    case 'bedrock':
      return limitWithFallbacks(call, model, thinkingLimit(call, model, family, minOutputTokens));
    case 'google':
      return googleLimit(call, minOutputTokens, plainLimit(call, model, minOutputTokens));
    default:
      return plainLimit(call, model, minOutputTokens);
  }
}
