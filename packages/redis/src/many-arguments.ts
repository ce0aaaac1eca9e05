import type { Argument } from './script-runner.ts';
import { RESERVE, RESERVE_MANY, type Script, SETTLE, SETTLE_MANY } from './scripts.ts';

/** How the arguments of a script for one call are those of a script for several. */
interface Way {
  readonly many: Script;
  /** So many come before the number of accounts, and the field of the reservation is the first of them. */
  readonly before: number;
  /** Whether what stands for the terms of the accounts comes after all amounts. */
  readonly hasTerms: boolean;
}

const WAYS: ReadonlyMap<Script, Way> = new Map([
  [RESERVE, { many: RESERVE_MANY, before: 3, hasTerms: true }],
  [SETTLE, { many: SETTLE_MANY, before: 2, hasTerms: false }],
]);

/** The script that carries out several calls of a script, if there is one. */
export function manyOf(script: Script): Script | undefined {
  return WAYS.get(script)?.many;
}

/**
 * The arguments for several calls, each as those of its own script: see `many.lua`. What calls on the
 * same accounts have in common is said once.
 */
export function manyArguments(script: Script, calls: readonly (readonly Argument[])[]): Argument[] {
  const { before, hasTerms } = WAYS.get(script) as Way;
  const places = new Map<string, number>();
  const lists: Argument[] = [];
  const rest: Argument[] = [];
  for (const args of calls) {
    const size = Number(args[before]);
    const from = before + 1;
    const fields = args.slice(from, from + size);
    const terms = hasTerms ? args.slice(from + 2 * size, from + 3 * size) : [];
    const key = `${fields.join('\n')}\n\n${terms.join('\n')}`;
    let place = places.get(key);
    if (place === undefined) {
      place = places.size + 1;
      places.set(key, place);
      lists.push(size, place, ...fields, ...terms);
    }
    rest.push(place, ...args.slice(0, before), ...args.slice(from + size, from + 2 * size));
  }
  return [places.size, ...lists, ...rest];
}
