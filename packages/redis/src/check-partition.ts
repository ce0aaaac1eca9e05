import { ConfigError, defineBudgets } from '@hardcap/core';
import { Partition } from './partition.ts';

/** Where budgets are kept under a `partitionBy`, by name. */
export interface PartitionPlan {
  /** In the slot of each tenant. */
  readonly within: readonly string[];
  /** In one slot for all tenants: their calls take a second step. */
  readonly above: readonly string[];
}

/**
 * Tells which budgets a partition spreads over slots, and which are above it because their `per` lacks
 * one of its dimensions.
 *
 * @param budgets as of a guard or a configuration file
 * @throws ConfigError where no budget has the dimensions, so that nothing would be spread.
 */
export function checkPartition(partitionBy: readonly string[], budgets: unknown): PartitionPlan {
  const partition = new Partition('', partitionBy);
  const within: string[] = [];
  const above: string[] = [];
  for (const { name, per } of defineBudgets(budgets)) {
    const key = per.reduce((text, dimension) => `${text}|${dimension}=x`, name);
    (partition.nameOf(key) === null ? above : within).push(name);
  }
  if (within.length > 0) return { within, above };
  throw new ConfigError(
    `redis: no budget is kept per ${partitionBy.join(' and ')}, so that \`partitionBy\` would spread ` +
      `nothing. Add a budget with \`per: [${partitionBy.join(', ')}]\`, or partition by what budgets are kept per.`,
  );
}
