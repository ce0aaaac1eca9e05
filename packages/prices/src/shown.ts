/** A value as an error message shows it: strings quoted, and `NaN` by its name. */
export function shown(value: unknown): string {
  return typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? String(value));
}
