/** A measured figure and what it may be at most. */
export interface Gate {
  readonly what: string;
  readonly measured: number;
  readonly atMost: number;
  readonly unit: string;
  /** What the figure was held against. */
  readonly note: string;
}

/** Prints the gates as a table; false when one of them does not hold. */
export function report(gates: readonly Gate[]): boolean {
  const rows = gates.map((gate) => ({
    what: gate.what,
    measured: `${rounded(gate.measured)} ${gate.unit}`,
    gate: `<= ${rounded(gate.atMost)} ${gate.unit}`,
    holds: gate.measured <= gate.atMost ? 'yes' : 'NO',
    against: gate.note,
  }));
  console.table(rows);
  return gates.every((gate) => gate.measured <= gate.atMost);
}

function rounded(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(2);
}
