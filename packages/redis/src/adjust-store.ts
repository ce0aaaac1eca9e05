import type { AdjustAnswer, Adjustment, AdjustRequest, CorrectionCharge } from '@hardcap/core';
import { checkTopUp } from '@hardcap/core/sink';
import { inJson } from './account-text.ts';
import { type Reply, readingOf, readNotices } from './answer-text.ts';
import { chargesText } from './script-arguments.ts';
import type { Argument } from './script-runner.ts';
import { ADJUST } from './scripts.ts';
import type { StoreScripts } from './store-scripts.ts';

/** What a store does of a correction. */
export interface CorrectionPart {
  /** Of the whole of it, in ms since the epoch. */
  readonly deadline: number;
  readonly charges: readonly CorrectionCharge[];
  /** Ids by which the store may have the reservation. */
  readonly reservations: readonly string[];
}

/** Changes an account of a store. @param part of a correction, what this store does of it */
export async function adjustStore(
  scripts: StoreScripts,
  request: AdjustRequest,
  part: CorrectionPart = wholeOf(scripts, request.change),
): Promise<AdjustAnswer> {
  const { account } = request;
  const reply = await adjust(scripts, request, part, (args, at) => {
    args.push(inJson(account.key), scripts.accounts.terms(account, at, at, true));
  });
  const [status, at, figures] = reply;
  if (status === 'too-much') checkTopUp(request.change, Number(figures));
  if (status === 'adjusted') scripts.session.entered(Number(at));
  return { ...answerOf(reply), reading: readingOf(account, figures, Number(at)) };
}

/** A part of a correction that is asked for on an account of another store. */
export async function adjustElsewhere(
  scripts: StoreScripts,
  request: AdjustRequest,
  part: CorrectionPart,
): Promise<Omit<AdjustAnswer, 'reading'>> {
  const { key, rule } = request.account;
  const names = `${JSON.stringify(rule.budget)},${JSON.stringify(rule.unit)}`;
  const reply = await adjust(scripts, request, part, (args) => {
    args.push(inJson(key), `@${names}`);
  });
  return answerOf(reply);
}

function adjust(
  scripts: StoreScripts,
  { id, change, details }: AdjustRequest,
  { charges, reservations, deadline }: CorrectionPart,
  pushAccount: (args: Argument[], at: number) => void,
): Promise<Reply> {
  const amount = 'amount' in change ? change.amount : 'limit' in change ? change.limit : null;
  const until = 'until' in change ? change.until : null;
  const texts = [JSON.stringify(change), JSON.stringify(details)];
  const argsAt = (at: number): Argument[] => {
    const args: Argument[] = [inJson(id)];
    pushAccount(args, at);
    args.push(change.type, amount ?? '', until ?? '', ...texts);
    if (change.type === 'correction') {
      args.push(reservations.map(inJson).join('\n'), ...chargesText(charges));
    }
    return args;
  };
  return scripts.run(ADJUST, argsAt, deadline);
}

function wholeOf({ runner }: StoreScripts, change: Adjustment): CorrectionPart {
  const { deadline } = runner;
  if (change.type !== 'correction') return { charges: [], reservations: [], deadline };
  return { charges: change.charges, reservations: [change.reservation], deadline };
}

function answerOf([status, at, , notices]: Reply): Omit<AdjustAnswer, 'reading'> {
  return {
    status: status === 'adjusted' ? 'adjusted' : 'already-adjusted',
    at: Number(at),
    notices: readNotices(notices),
  };
}
