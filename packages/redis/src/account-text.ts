import { type AccountRule, compileWindow, type Window, type WindowSpan } from '@hardcap/core';
import { spansBefore } from '@hardcap/core/sink';

/** A rule as the scripts read it. */
interface RuleText {
  readonly terms: string;
  /**
   * Stands for the terms: how a hold is charged (see `reservations.lua`), an `s` where the account
   * refuses nothing, an `r` where it rolls over, and a digest of 53 bits.
   */
  readonly sign: string;
}

const known: WeakMap<AccountRule, RuleText> = new WeakMap();
const windows: Map<string, Window> = new Map();
const MOST_WINDOWS = 1_000;

/** A key or id as it is inside a JSON text, which is how the scripts know it. */
export function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** The other way round. */
export function keyIn(text: string): string {
  return JSON.parse(`"${text}"`);
}

export function ruleText(rule: AccountRule): RuleText {
  const made = known.get(rule);
  if (made !== undefined) return made;
  const { window, limit, blocked, thresholds, rollover } = rule;
  const terms = [
    `${JSON.stringify(rule.budget)},${JSON.stringify(rule.unit)}`,
    limit ?? '',
    `${blocked ? 'b' : ''}${rollover === undefined ? '' : `r${rollover}`}`,
    thresholds.join(','),
    window.kind === 'rolling' ? window.lengthMs : '',
    window.kind === 'rolling' ? window.resolutionMs : '',
    JSON.stringify(window.spec),
  ].join('\n');
  const kind = rule.onExpiry === 'release' ? kindOf(rule).toUpperCase() : kindOf(rule);
  const manner = `${kind}${rule.shadow ? 's' : ''}${rollover === undefined ? '' : 'r'}`;
  const text = { terms, sign: `${manner}:${digestOf(terms)}` };
  known.set(rule, text);
  return text;
}

/** 53 bits of a text (cyrb53). Not for secrets. */
export function digestOf(text: string): string {
  let [one, other] = [0xdeadbeef, 0x41c6ce57];
  for (let place = 0; place < text.length; place += 1) {
    const code = text.charCodeAt(place);
    one = Math.imul(one ^ code, 2_654_435_761);
    other = Math.imul(other ^ code, 1_597_334_677);
  }
  one =
    Math.imul(one ^ (one >>> 16), 2_246_822_507) ^ Math.imul(other ^ (other >>> 13), 3_266_489_909);
  other =
    Math.imul(other ^ (other >>> 16), 2_246_822_507) ^ Math.imul(one ^ (one >>> 13), 3_266_489_909);
  return (4_294_967_296 * (2_097_151 & other) + (one >>> 0)).toString(36);
}

function kindOf({ window, attribute }: AccountRule): string {
  if (window.kind === 'rolling') return attribute === 'reserve' ? 'l' : 'p';
  return attribute === 'reserve' ? 'o' : 'c';
}

/** Whether a hold is charged to the window that is current when it ends. */
export function goesAlong(rule: AccountRule): boolean {
  return rule.attribute === 'settle' && rule.window.kind !== 'rolling';
}

/** What of the windows of an account may matter, on three lines: see `termsIn` in `windows.lua`. */
export function spansOf({ window, rollover }: AccountRule, at: number, expiresAt: number): string {
  const span = window.at(at);
  const before = rollover === undefined ? [] : spansBefore(window, span).map(({ id }) => id);
  return threeLines(window, span, before, expiresAt);
}

function threeLines(
  window: Window,
  span: WindowSpan,
  before: readonly string[],
  expiresAt: number,
): string {
  const later = spanText(window, window.at(expiresAt));
  return `${spanText(window, span)}\n${before.join('\t')}\n${later}`;
}

/** The same from terms that the store has. */
export function spansOfTerms(terms: string, at: number, expiresAt: number): string {
  const window = windowOf(terms.slice(terms.lastIndexOf('\n') + 1));
  return threeLines(window, window.at(at), [], expiresAt);
}

function spanText(window: Window, { id, startsAt, endsAt }: WindowSpan): string {
  return window.kind === 'rolling' ? `\t\t${id}` : `${startsAt ?? ''}\t${endsAt ?? ''}\t${id}`;
}

function windowOf(spec: string): Window {
  const made = windows.get(spec);
  if (made !== undefined) return made;
  const window = compileWindow(JSON.parse(spec));
  if (windows.size >= MOST_WINDOWS) windows.clear();
  windows.set(spec, window);
  return window;
}
