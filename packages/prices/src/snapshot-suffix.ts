const DATE = /(?:-20\d{2}-\d{2}-\d{2}|[-@]20\d{6})$/;

const SUFFIXES: readonly RegExp[] = [
  DATE,
  // -0709 and -2507: month and day, or year and month.
  /-(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])$/,
  /-2[3-9](?:0[1-9]|1[0-2])$/,
  // Google numbers its snapshots.
  /-00\d$/,
  // Bedrock: a first version, its revision, and its context size. A `-v2` may be another model.
  /-v[01](?::\d+)?$/,
  /:\d+k?$/,
];

const DATED_REVISION = /-v\d+(?::\d+)?$/;

/** Bedrock ids end in a version and a date, and may name a context size as well. */
const SUFFIXES_MAX = 3;

function withoutSuffix(id: string): string {
  const revised = id.replace(DATED_REVISION, '');
  if (revised !== id && DATE.test(revised)) return revised;
  for (const suffix of SUFFIXES) {
    const rest = id.replace(suffix, '');
    if (rest !== id) return rest;
  }
  return id;
}

/**
 * The names that `id` is a snapshot of, nearest first, without `id` itself:
 * `claude-haiku-4-5-20251001-v1:0` is one of `claude-haiku-4-5-20251001` and of `claude-haiku-4-5`.
 */
export function snapshotBases(id: string): string[] {
  const bases: string[] = [];
  let last = id;
  for (let round = 0; round < SUFFIXES_MAX; round++) {
    const rest = withoutSuffix(last);
    if (rest === last) break;
    bases.push(rest);
    last = rest;
  }
  return bases;
}
