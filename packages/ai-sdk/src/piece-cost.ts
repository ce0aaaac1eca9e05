import { type Estimate, usd } from '@hardcap/core';
import type { ModelId } from './middleware.ts';
import type { CallParameters, PieceOptions } from './spend-budget-options.ts';

/** What a call costs that is billed by the piece: how much it holds, and what it is charged. */
export interface PieceCost {
  readonly estimate: Estimate;
  readonly costNanoUsd: number;
}

const NANO_DIGITS = 9;

/** Undefined where the options say nothing about the model. */
export function pieceCost(
  { pieceCost: option }: PieceOptions,
  model: ModelId,
  params: object,
  pieces: number,
): PieceCost | undefined {
  const each = typeof option === 'function' ? option(model, params as CallParameters) : option;
  if (each === undefined) return undefined;
  const costNanoUsd = usd(each) * pieces;
  const digits = String(costNanoUsd).padStart(NANO_DIGITS + 1, '0');
  const amount = `${digits.slice(0, -NANO_DIGITS)}.${digits.slice(-NANO_DIGITS)}`;
  return { estimate: { fixed: { usd: amount } }, costNanoUsd };
}
