import type { Account, AccountRule } from '@hardcap/core';
import { ruleText } from './account-text.ts';
import type { Until } from './lease-clock.ts';

const NEVER: Until = () => false;

/** `current`: of the window of now; `over`: calls of it may still be open; `expired` and `gone` in the store. */
export type LeaseState = 'current' | 'over' | 'expired' | 'gone';

/**
 * A block of one account that this process holds in the store: what open calls have of it, what calls
 * have cost that the store was not told yet, and the rest, from which calls are admitted.
 */
export class Lease {
  readonly id: string;
  readonly account: Account;
  readonly sign: string;
  /** Id of the window that pays. */
  window: string;
  /** Of the store in which it is held. */
  readonly epoch: string | null;
  state: LeaseState = 'current';
  /** How often the store was asked to change it. */
  changes = 0;
  /** What can be drawn. */
  room = 0;
  /** What open calls hold. */
  open = 0;
  /** What calls have cost that the store was not told yet. */
  pending = 0;
  /** How many calls are open, or not paid. */
  calls = 0;
  /** Once there is less to draw, there should be more soon. */
  low = 0;
  /** Settled spend of the account, as the store last told, and at which a threshold comes. */
  committed = 0;
  alarm: number = Number.POSITIVE_INFINITY;
  /** Nothing is drawn until the store was asked again. */
  isPaused = false;
  until: Until = NEVER;

  constructor(id: string, account: Account, window: string, epoch: string | null) {
    this.id = id;
    this.account = account;
    this.sign = ruleText(account.rule).sign;
    this.window = window;
    this.epoch = epoch;
  }

  /** What the store has to hold for it, at least. */
  get base(): number {
    return this.open + this.pending;
  }

  /** Whether the store still has it, as far as is known here. */
  isIn(epoch: string | null): boolean {
    return this.epoch === epoch && (this.state === 'current' || this.state === 'over');
  }

  /** Whether the terms of a call are those under which it was taken. */
  isUnder(rule: AccountRule): boolean {
    return rule === this.account.rule || ruleText(rule).sign === this.sign;
  }

  /** An account of which nothing is left admits no call, not even one of nothing. */
  hasRoomFor(amount: number): boolean {
    return this.room > 0 && amount <= this.room && !this.isPaused && this.state === 'current';
  }

  draw(amount: number): void {
    this.calls += 1;
    this.grow(amount);
  }

  /** Of a call that was drawn before. */
  grow(by: number): void {
    this.room -= by;
    this.open += by;
  }

  giveBack(amount: number): void {
    this.grow(-amount);
    this.calls -= 1;
  }

  /** Of a call that held an amount and cost no more than that; the store is still to be told. */
  settle(held: number, cost: number): void {
    this.open -= held;
    this.pending += cost;
    this.room += held - cost;
  }

  /** The store was told what a call cost. */
  paid(cost: number): void {
    this.pending -= cost;
    this.calls -= 1;
  }

  /** What a call held is its own from here on. */
  leave(amount: number): void {
    this.open -= amount;
    this.calls -= 1;
  }

  /** Whether a charge may come to a threshold, by all that is known here. */
  isAlarmedBy(cost: number): boolean {
    return this.committed + this.pending + cost >= this.alarm;
  }
}
