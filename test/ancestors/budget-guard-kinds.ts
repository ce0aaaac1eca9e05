import { BUDGET_GUARD, type BudgetGuardScene, costing, TTL_MS } from './budget-guard-scene.ts';
import { eightWorkers } from './eight-workers.ts';

/** One kind of scenario: what happens in it is written down by the scene. */
export interface Kind {
  readonly title: string;
  /** @default the ancestor's */
  readonly config?: string;
  run(scene: BudgetGuardScene, store: string): Promise<void>;
}

const TWO_BUDGETS = BUDGET_GUARD.replace(
  'prices:',
  '  - { name: team, per: [], limit: { usd: "0.50" }, window: total }\nprices:',
);
/** What is left is there in the next day, which takes a call to be paid by the day that admitted it. */
const SAVING = BUDGET_GUARD.replace(
  'attribute: settle',
  'attribute: reserve\n    rollover: { usd: "0.40" }',
);
const NO_TOKENS = { input: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, reasoning: 0 };
/** Rounds of eight workers. */
const ROUNDS = 5;

/** What a guard before the model can meet, one of each kind. */
export const KINDS: readonly Kind[] = [
  {
    title: 'A call that costs less than its estimate',
    async run(scene) {
      const call = await scene.open('0.40');
      await scene.settle(call, 'costs $0.25', costing('0.25'));
    },
  },
  {
    title: 'The last unit of a budget, and one more',
    async run(scene) {
      await scene.open('0.60');
      await scene.ask('0.40001');
      await scene.open('0.40');
      await scene.ask('0.00001');
    },
  },
  {
    title: 'A spent budget, and a call that asks for nothing',
    async run(scene) {
      await scene.settle(await scene.open('1'), 'costs $1.00', costing('1'));
      await scene.ask('0', { estimate: 'none' });
    },
  },
  {
    title: 'Ten calls at once, of which five fit',
    async run(scene) {
      const calls = Array.from({ length: 10 }, () => scene.ask('0.20'));
      await Promise.all(calls);
      // Which of them come first is not the point.
      const admitted = scene.steps.filter((step) => step.endsWith('admitted')).length;
      scene.steps.splice(0, Infinity, `ask for $0.20 each: ${admitted} admitted`);
    },
  },
  {
    title: 'Eight processes at once',
    async run(scene, store) {
      const { admitted, most, held, books } = await eightWorkers(store, ROUNDS);
      const all = [...new Set(admitted)].join(' or ');
      scene.steps.push(
        `ask 200 times for 7,000 of 1,000,000 nano-USD, in ${ROUNDS} rounds: ${all} admitted in each`,
        `at most ${most.toLocaleString('en')} spent and held at any time, ${held} leaked`,
        `${books.differences.length} differences in the books`,
      );
    },
  },
  {
    title: 'A call that costs more than its estimate',
    async run(scene) {
      await scene.settle(await scene.open('0.90'), 'costs $1.25', costing('1.25'));
      await scene.ask('0.01');
    },
  },
  {
    title: 'A call that is settled twice',
    async run(scene) {
      const call = await scene.open('0.40');
      await scene.settle(call, 'costs $0.25', costing('0.25'));
      await scene.settle(call, 'costs $0.30', costing('0.30'));
    },
  },
  {
    title: 'A call of which nobody knows whether it ran',
    async run(scene) {
      await scene.settle(await scene.open('0.40'), 'unknown', { outcome: 'unknown' });
    },
  },
  {
    title: 'A call that was never sent',
    async run(scene) {
      await scene.settle(await scene.open('0.40'), 'not sent', { outcome: 'not-sent' });
    },
  },
  {
    title: 'A call that is not settled in its time, and then is',
    async run(scene) {
      const call = await scene.open('0.40');
      scene.store.clock.advance(TTL_MS);
      await scene.look('its time is over');
      await scene.settle(call, 'costs $0.25', costing('0.25'));
      await scene.settle(call, 'costs $0.30', costing('0.30'));
    },
  },
  {
    title: 'A day that ends while a call is open',
    async run(scene) {
      await scene.settle(await scene.open('0.50'), 'costs $0.50', costing('0.50'));
      scene.store.clock.moveTo('2026-11-30T23:59:59Z');
      const call = await scene.open('0.40');
      scene.store.clock.advance(1_000);
      await scene.look('midnight');
      await scene.ask('0.61');
      await scene.settle(call, 'costs $0.30', costing('0.30'));
    },
  },
  {
    title: 'A day that ends while a call is open, and leaves its rest',
    config: SAVING,
    async run(scene) {
      await scene.settle(await scene.open('0.30'), 'costs $0.30', costing('0.30'));
      scene.store.clock.moveTo('2026-11-30T23:59:59Z');
      const call = await scene.open('0.50');
      scene.store.clock.advance(1_000);
      await scene.look('midnight');
      await scene.limits('with the hold on the day before');
      await scene.ask('1.21');
      await scene.settle(call, 'costs $0.20', costing('0.20'));
      await scene.limits('then');
      await scene.ask('1.41');
      await scene.open('1.40');
    },
  },
  {
    title: 'Two budgets, of which one cannot carry the call',
    config: TWO_BUDGETS,
    async run(scene) {
      await scene.ask('0.60');
      await scene.open('0.50');
      await scene.ask('0.60');
    },
  },
  {
    title: 'A share of the budget at which somebody is warned',
    async run(scene) {
      const spend = async (usd: string) => {
        await scene.settle(await scene.open(usd), `costs $${usd}`, costing(usd));
        const warned = scene.worker.events.filter(({ type }) => type === 'threshold-crossed');
        scene.steps.push(`warned ${warned.length} times`);
      };
      await spend('0.79');
      await spend('0.01');
      await spend('0.10');
    },
  },
  {
    title: 'A model without a price of its own',
    async run(scene) {
      const call = await scene.open('0.04', { model: 'unheard-of' });
      await scene.look('at the default price');
      const usage = { ...NO_TOKENS, output: 2_000 };
      await scene.settle(call, 'uses 2,000 of 4,000 tokens', { outcome: 'known', usage });
    },
  },
  {
    title: 'A store that is away, and comes back',
    async run(scene) {
      await scene.settle(await scene.open('0.40'), 'costs $0.25', costing('0.25'));
      scene.store.fail();
      await scene.fail('asks for $0.10', () => scene.ask('0.10'));
      scene.store.recover();
      await scene.untilNothingIsHeld();
      await scene.open('0.10');
    },
  },
];
