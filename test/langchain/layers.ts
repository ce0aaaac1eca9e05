import {
  SpendBudgetCallbackHandler,
  spendBudgetMiddleware,
  withSpendBudget,
} from '@hardcap/langchain';
import type { AgentMiddleware } from 'langchain';
import type { Fields, Model } from './langchain.ts';
import type { Scene } from './scene.ts';

/** What a layer gives to a program. */
export interface Layered {
  /** Every model of the program is this one. */
  readonly model: Model;
  /** Of the outermost run. */
  readonly config: Fields;
  readonly middleware: readonly AgentMiddleware[];
}

type Given = Pick<Scene, 'guard' | 'bareModel'>;

/** The places in which the package can stand, each alone. */
export const LAYERS: Readonly<Record<string, (scene: Given) => Layered>> = {
  'guarded model': ({ guard, bareModel }) => ({
    model: withSpendBudget(bareModel(), guard),
    config: {},
    middleware: [],
  }),
  middleware: ({ guard, bareModel }) => ({
    model: bareModel(),
    config: {},
    // Its type does not fit the agent's where optional properties are exact.
    middleware: [spendBudgetMiddleware(guard) as unknown as AgentMiddleware],
  }),
  'handler of the model': ({ guard, bareModel }) => ({
    model: bareModel({ callbacks: [new SpendBudgetCallbackHandler(guard)] }),
    config: {},
    middleware: [],
  }),
  'handler of the run': ({ guard, bareModel }) => ({
    model: bareModel(),
    config: { callbacks: [new SpendBudgetCallbackHandler(guard)] },
    middleware: [],
  }),
};
