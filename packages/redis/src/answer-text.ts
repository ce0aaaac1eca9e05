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

type RefusalReply = readonly [
  place: number,
  kind: RefusalKind,
  figures: readonly [
    limit: number | null,
    committed: number,
    held: number,
    requested: number,
    /** Of accounts that roll over. */
    rolledOver?: number,
  ],
  endsAt: number | null,
  opensAt: number | null,
];

export function readRefusals(reply: unknown, claims: readonly Claim[], at: number): Refusal[] {
  const refusals = reply as readonly RefusalReply[];
  return refusals.map(([place, kind, figures, endsAt, opensAt]) => {
    const { account } = claims[place] as Claim;
    const [limit, committed, held, requested, rolledOver] = figures;
    return {
      budget: account.rule.budget,
      account: account.key,
      unit: account.rule.unit,
      limit,
      ...rollover(account, rolledOver),
      committed,
      held,
      requested,
      kind,
      ...(account.rule.shadow && { shadow: true }),
      resetsAt: endsAt ?? opensAt,
      retryAfterMs: opensAt === null ? null : Math.max(0, opensAt - at),
    };
  });
}

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
