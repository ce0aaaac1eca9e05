import { InvalidArgumentError } from './errors.ts';
import type { Identity } from './identity.ts';
import { asObject } from './json-object.ts';
import type { Json } from './sink-entry.ts';

/** What a call says to hardcap through a channel of its framework. */
export interface ChannelOptions {
  readonly identity?: Identity;
  readonly operationId?: string;
  readonly tags?: Readonly<Record<string, Json>>;
}

/**
 * The value of such a channel; undefined where there is none.
 *
 * @param where the channel is, such as `providerOptions.hardcap`; opens the messages.
 * @throws InvalidArgumentError for an option that is misspelt or of the wrong kind.
 */
export function checkedChannelOptions(value: unknown, where: string): ChannelOptions | undefined {
  if (value === undefined) return undefined;
  const options = asObject(value);
  if (options === undefined) throw invalid(where, 'is an object');
  for (const key of Object.keys(options)) {
    // A misspelt identity would charge somebody else.
    if (!Object.hasOwn(KINDS, key)) throw invalid(where, `has no option "${key}"`);
    if (options[key] !== undefined && !KINDS[key as keyof typeof KINDS](options[key])) {
      throw invalid(where, `has a wrong value for "${key}"`);
    }
  }
  return options as ChannelOptions;
}

const KINDS = {
  identity: (value: unknown) => {
    const dimensions = asObject(value);
    return (
      dimensions !== undefined && Object.values(dimensions).every((id) => typeof id === 'string')
    );
  },
  operationId: (value: unknown) => typeof value === 'string',
  tags: (value: unknown) => asObject(value) !== undefined,
} satisfies Record<keyof ChannelOptions, (value: unknown) => boolean>;

function invalid(where: string, problem: string): InvalidArgumentError {
  return new InvalidArgumentError(
    `${where} ${problem}. It takes { identity?: { user: 'u1' }, operationId?: 'op', tags?: {} }.`,
  );
}
