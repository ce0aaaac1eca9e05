import type {
  Account,
  AccountReading,
  Charge,
  Claim,
  Overshoot,
  Refusal,
  RefusalKind,
  ReleaseAnswer,
  Resolution,
  SinkNotice,
  Unit,
} from '@hardcap/core';

/** An array as a script answers it. */
export type Reply = readonly unknown[];

/**
 * An answer as an array. What nearly all calls get is shorter: the time alone where an amount is held,
 * and the time and the charges in one text where it is settled.
 */
export function replyOf(answer: unknown): Reply {
  if (Array.isArray(answer)) return answer;
  const text = String(answer);
  const from = text.indexOf('[');
  if (from < 0) return ['held', Number(text)];
  return ['settled', Number(text.slice(0, from)), text.slice(from), '[]', ''];
}

/** What a script for several calls answers one of them, as an array; shorter still. @param at the time */
export function replyOfMany(answer: unknown, at: unknown): Reply {
  if (Array.isArray(answer)) return ['denied', at, '', '', ...answer];
  return answer === 1 ? ['held', at] : ['settled', at, answer, '[]', ''];
}

type ChargeText = readonly [
  account: string,
  budget: string,
  unit: Unit,
  window: string,
  slot: number | null,
  amount: number,
  held: number,
];

export function readCharges(text: unknown): Charge[] {
  const charges: readonly ChargeText[] = JSON.parse(String(text));
  return charges.map(charge);
}

function charge([account, budget, unit, window, slot, amount, held]: ChargeText): Charge {
  return { account, budget, unit, window, slot, amount, held };
}

/** Overshoot as keys and amounts in turn; names come from the charges. */
export function readOvershoot(text: unknown, charges: readonly Charge[]): Overshoot[] {
  if (text === '[]') return [];
  const parts: readonly (string | number)[] = JSON.parse(String(text));
  return charges.flatMap(({ account, budget, unit }) => {
    const place = parts.indexOf(account);
    return place < 0 ? [] : [{ account, budget, unit, amount: Number(parts[place + 1]) }];
  });
}

type NoticeText =
  | readonly ['x', id: string, charges: readonly ChargeText[], at: number]
  | readonly ['r', at: number]
  | readonly [
      't',
      account: string,
      budget: string,
      unit: Unit,
      partsPerMillion: number,
      committed: number,
      limit: number,
      window: string,
      startsAt: number | null,
      endsAt: number | null,
      at: number,
    ];

const NO_NOTICES: readonly SinkNotice[] = Object.freeze([]);

export function readNotices(text: unknown): readonly SinkNotice[] {
  if (text === '' || text === undefined) return NO_NOTICES;
  const notices: readonly NoticeText[] = JSON.parse(`[${text}]`);
  return notices.map(notice);
}

function notice(text: NoticeText): SinkNotice {
  if (text[0] === 'r') return { type: 'store-reset', at: text[1] };
  if (text[0] === 'x') {
    const [, id, charges, at] = text;
    return { type: 'reservation-expired', id, charged: charges.map(charge), at };
  }
  const [, account, budget, unit, parts, committed, limit, id, startsAt, endsAt, at] = text;
  return {
    type: 'threshold-crossed',
    account,
    budget,
    unit,
    threshold: parts / 1_000_000,
    committed,
    limit,
    window: { id, startsAt, endsAt },
    at,
  };
}

/** How many values of an answer are a refusal, and how many come before all of them. */
const OF_REFUSAL = 9;
const BEFORE_REFUSALS = 4;

export function readRefusals(reply: Reply, claims: readonly Claim[], at: number): Refusal[] {
  const refusals: Refusal[] = [];
  for (let from = BEFORE_REFUSALS; from < reply.length; from += OF_REFUSAL) {
    const [place, kind, limit, committed, held, requested, endsAt, opensAt, rolledOver] =
      reply.slice(from, from + OF_REFUSAL) as unknown as RefusalReply;
    const { account } = claims[place] as Claim;
    const { key, rule } = account;
    refusals.push({
      budget: rule.budget,
      account: key,
      unit: rule.unit,
      limit,
      ...rollover(account, rolledOver),
      committed,
      held,
      requested,
      kind,
      ...(rule.shadow && { shadow: true }),
      resetsAt: endsAt ?? opensAt,
      retryAfterMs: opensAt === null ? null : Math.max(0, opensAt - at),
    });
  }
  return refusals;
}

type RefusalReply = readonly [
  place: number,
  kind: RefusalKind,
  limit: number | null,
  committed: number,
  held: number,
  requested: number,
  endsAt: number | null,
  opensAt: number | null,
  rolledOver: number,
];

/** The figures of an account, as `read.lua` answers them. */
export function readingOf(account: Account, reply: unknown, at: number): AccountReading {
  const [limit, blocked, committed, held, denials, rolledOver] = reply as [
    number | null,
    number,
    number,
    number,
    number,
    number,
  ];
  const window = account.rule.window.at(at);
  return {
    account: account.key,
    limit,
    ...rollover(account, rolledOver),
    blocked: blocked === 1,
    committed,
    held,
    window,
    denials,
  };
}

function rollover({ rule }: Account, amount = 0): { readonly rollover?: number } {
  return rule.rollover ? { rollover: amount } : {};
}

export function resolutionIn(value: unknown): Resolution | undefined {
  return value === null ? undefined : (value as Resolution);
}

/** The answer about a reservation that is not open. */
export function endedAnswer(
  reply: Reply,
): Extract<ReleaseAnswer, { status: 'already-resolved' | 'never-held' }> {
  const at = Number(reply[1]);
  if (reply[0] === 'never') {
    return { status: 'never-held', at, notices: readNotices(reply[2]) };
  }
  const first = reply[2] as Resolution;
  return { status: 'already-resolved', first, at, notices: readNotices(reply[3]) };
}
