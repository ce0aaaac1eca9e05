import { type EntryDetails, InvalidArgumentError } from '@hardcap/core';

/**
 * Details of an entry, as JSON.
 *
 * @throws InvalidArgumentError for what JSON cannot hold.
 */
export function detailsText(details: EntryDetails): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(details);
  } catch (error) {
    throw new InvalidArgumentError('Details of an entry must be JSON.', { cause: error });
  }
  if (text === undefined) throw new InvalidArgumentError('Details of an entry must be an object.');
  return text;
}
