/** What a call does when budgets are tight, in one file, since it is loaded when first needed. */
export { growHold } from './grow-hold.ts';
export { smallerPlan } from './smaller-plan.ts';
