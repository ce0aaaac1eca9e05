import { objectAt, textAt } from '@hardcap/core/adapter';
import type { ModelName } from './spend-budget-options.ts';

/**
 * Whether the package of a model leaves what was cached out of `input_tokens`: Anthropic's did before
 * 1.3.12. Those that write their version into the metadata are newer; of others it is assumed, which
 * may charge too much for cached input, and never too little.
 */
export function excludesCache({ provider }: ModelName, metadata: unknown): boolean {
  return (
    provider === 'anthropic' &&
    textAt(objectAt(metadata, 'versions'), '@langchain/anthropic') === undefined
  );
}
