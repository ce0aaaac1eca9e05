import { styleText } from 'node:util';
import { formatUsd, type GuardEvent } from '@hardcap/core';

const COLUMNS = ['call', 'reserved', 'actual', 'spent', 'remaining'] as const;
const WIDTHS = [4, 12, 12, 12, 12];

type Style = Parameters<typeof styleText>[0];

/** Coloured on a terminal, plain in a file. */
export function styled(style: Style, text: string): string {
  return styleText(style, text, { stream: process.stdout });
}

export function heading(text: string): void {
  console.log(`\n${styled('bold', text)}`);
}

/** Four decimals are enough to follow a run; the books are kept to the nano-dollar. */
function dollars(nano: number): string {
  return `$${(nano / 1e9).toFixed(4)}`;
}

/** To the nano-dollar. */
export function exactly(nano: number): string {
  return formatUsd(nano);
}

/** Prints a line for every call as it settles. */
export class CallTable {
  readonly #limit: number;
  #calls = 0;
  #reserved = 0;
  #spent = 0;

  constructor(limitNanoUsd: number) {
    this.#limit = limitNanoUsd;
    console.log(styled('dim', line(COLUMNS)));
  }

  /** Give it to `onEvent`. */
  readonly listen = (event: GuardEvent): void => {
    if (event.type === 'reserved') this.#reserved = event.heldNanoUsd ?? 0;
    if (event.type !== 'settled') return;
    const cost = event.costNanoUsd ?? 0;
    this.#calls += 1;
    this.#spent += cost;
    const amounts = [this.#reserved, cost, this.#spent, this.#limit - this.#spent];
    console.log(line([String(this.#calls), ...amounts.map(dollars)]));
  };
}

function line(cells: readonly string[]): string {
  return cells.map((cell, index) => cell.padStart(WIDTHS[index] ?? 0)).join('  ');
}
