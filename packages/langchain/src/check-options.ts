import { InvalidArgumentError } from '@hardcap/core';
import { objectAt } from '@hardcap/core/adapter';
import type { CallOptions } from './chat-model.ts';

/**
 * Clients of providers take options beside the request, and packages hand them those of a call.
 *
 * @throws InvalidArgumentError for one that replaces the request, which nothing would bound then.
 */
export function checkOptions(options: CallOptions): void {
  const places = [options, objectAt(options, 'options')];
  const replaces = places.some((place) =>
    [place, objectAt(place, 'fetchOptions')].some((each) => each?.['body'] !== undefined),
  );
  if (!replaces) return;
  throw new InvalidArgumentError(
    'A call has an option `body`, which replaces what its model sends: nothing bounds what that costs. ' +
      'Say it by the settings of the model, such as modelKwargs.',
  );
}
