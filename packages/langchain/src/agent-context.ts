import * as z from 'zod';
import type { HardcapRunOptions } from './call-channel.ts';

const channel = z.strictObject({
  identity: z.record(z.string(), z.string()).optional(),
  operationId: z.string().optional(),
  tags: z.record(z.string(), z.json()).optional(),
});

/** The part of an agent's context that says who pays for a run. */
export interface SpendBudgetContext {
  readonly hardcap?: HardcapRunOptions | undefined;
}

/** The schema of {@link SpendBudgetContext}; the agent checks every run's context with it. */
export const agentContext: z.ZodType<SpendBudgetContext> = z.object({
  hardcap: channel.optional(),
}) as z.ZodType<SpendBudgetContext>;
