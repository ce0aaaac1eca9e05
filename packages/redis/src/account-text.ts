import {
  type Account,
  type AccountRule,
  compileWindow,
  type Window,
  type WindowSpan,
} from '@hardcap/core';
import { spansBefore } from '@hardcap/core/sink';

/** A rule as the scripts read it. */
interface RuleText {
  readonly terms: string;
  /** Stands for the terms: a digest of 53 bits. */
  readonly id: string;
  /** How a hold is charged: see `reservations.lua`. */
  readonly kind: string;
  /** The way that was worked out last, and the span that it is for. */
  span: WindowSpan | null;
  way: string;
}

const known: WeakMap<AccountRule, RuleText> = new WeakMap();
const windows: Map<string, Window> = new Map();
const MOST_WINDOWS = 1_000;

/** A key or id as it is inside a JSON text, which is how the scripts know it. */
export function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
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
  const text = { terms, id: digestOf(terms), kind, span: null, way: '' };
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

/** How an account is charged, and the span of its window at a time, and where a hold would expire. */
export function wayOf({ rule }: Account, at: number, expiresAt: number): string {
  const text = ruleText(rule);
  const { kind } = text;
  const { window, rollover } = rule;
  const span = window.at(at);
  // A window gives the same name for as long as it lasts.
  if (text.span?.id !== span.id) {
    // How it is charged, and whether it refuses nothing: that is no part of the terms that a store has.
    const manner = `${kind}${rule.shadow ? 's' : ''}${rollover === undefined ? '' : 'r'}`;
    text.span = span;
    const lines = [manner, spanText(window, span)];
    if (rollover !== undefined) {
      lines.push(
        spansBefore(window, span)
          .map(({ id }) => id)
          .join('\t'),
      );
    }
    text.way = lines.join('\n');
  }
  if (kind !== 'c' && kind !== 'C') return text.way;
  return `${text.way}\n${spanText(rule.window, rule.window.at(expiresAt))}`;
}

/** The same from terms that the store has. */
export function wayOfTerms(terms: string, at: number, expiresAt: number): string {
  const window = windowOf(terms.slice(terms.lastIndexOf('\n') + 1));
  const spans = [at, expiresAt].map((time) => spanText(window, window.at(time)));
  return `c\n${spans.join('\n')}`;
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
