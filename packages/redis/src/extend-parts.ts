import type { Claim, ExtendAnswer, ExtendRequest } from '@hardcap/core';
import { reporting } from '@hardcap/core/sink';
import type { CallPart, Manner, PartitionedCall } from './call-part.ts';
import { endedAnswer } from './end-parts.ts';
import { heardOf, refusalsAmong } from './part-answers.ts';
import { growthRefusalsOf } from './part-operations.ts';

/**
 * Changes what the parts of a call hold, one after the other. What grows is asked for first, so that
 * all can be put back as it was where one refuses; what shrinks is given back once none has.
 *
 * @param call with what it holds, where this process knows that; else nothing is put back, and what
 *   grew before a refusal stays held until the call ends
 */
export async function extendParts(
  call: PartitionedCall,
  { claims, ttlMs }: Omit<ExtendRequest, 'id'>,
  so: Manner,
): Promise<ExtendAnswer> {
  const own = (part: CallPart) => ownClaims(call, part, claims, so);
  const extend = ({ store, id }: CallPart, asked: readonly Claim[]) => {
    return store.extend({ id, claims: asked, ttlMs }, so.deadline);
  };
  const answers: ExtendAnswer[] = [];
  const expiries = new Map(call.expiries);
  for (const [place, part] of call.parts.entries()) {
    const isLast = place === call.parts.length - 1;
    const asked = isLast ? own(part) : own(part).map((claim) => atLeast(call, claim));
    const answer = await extend(part, asked);
    answers.push(answer);
    if (answer.status === 'extended') {
      expiries.set(part, answer.expiresAt);
      continue;
    }
    const changed = call.parts.slice(0, place);
    answers.push(...(await restore(call, changed, claims, so)));
    if (answer.status !== 'refused')
      return endedAnswer(answers.filter(({ status }) => status !== 'extended'));
    return refused(claims, { ...so, answers, rest: call.parts.slice(place + 1), own });
  }
  for (const part of call.parts.slice(0, -1)) {
    const less = own(part).filter(({ account, amount }) => amount < heldBy(call, account.key));
    if (less.length === 0) continue;
    const answer = await extend(part, less);
    answers.push(answer);
    if (answer.status === 'extended') expiries.set(part, answer.expiresAt);
  }
  for (const { account, amount } of claims) call.holds.set(account.key, amount);
  for (const [part, expiresAt] of expiries) call.expiries.set(part, expiresAt);
  const expiresAt = Math.min(...expiries.values());
  const refusals = refusalsAmong(answers, claims);
  return reporting({ status: 'extended', expiresAt, ...heardOf(answers) }, refusals);
}

/** The first part is asked for what no part can hold, too: it says why that may not be. */
function ownClaims(
  call: PartitionedCall,
  part: CallPart,
  claims: readonly Claim[],
  { nameOf }: Manner,
): Claim[] {
  const isFirst = part === call.parts[0];
  return claims.filter(({ account: { key } }) => {
    const isStray = call.isAdmitted && !call.holds.has(key);
    return isStray ? isFirst : nameOf(key) === part.name;
  });
}

function heldBy(call: PartitionedCall, account: string): number {
  return call.holds.get(account) ?? 0;
}

function atLeast(call: PartitionedCall, { account, amount }: Claim): Claim {
  return { account, amount: Math.max(amount, heldBy(call, account.key)) };
}

/** Gives parts their amounts and their time back; what cannot be had of a server stays held. */
async function restore(
  call: PartitionedCall,
  parts: readonly CallPart[],
  claims: readonly Claim[],
  so: Manner,
): Promise<ExtendAnswer[]> {
  if (!call.isAdmitted) return [];
  const restored = parts.map(async (part) => {
    const expiresAt = call.expiries.get(part) ?? 0;
    const ttlMs = Math.max(1, expiresAt - part.store.scripts.session.at);
    const before = ownClaims(call, part, claims, so).map(({ account }) => {
      return { account, amount: heldBy(call, account.key) };
    });
    return part.store.extend({ id: part.id, claims: before, ttlMs }, so.deadline).catch(() => []);
  });
  return (await Promise.all(restored)).flat();
}

async function refused(
  claims: readonly Claim[],
  so: Manner & {
    readonly answers: readonly ExtendAnswer[];
    readonly rest: readonly CallPart[];
    readonly own: (part: CallPart) => Claim[];
  },
): Promise<ExtendAnswer> {
  const asked = so.rest.map(async (part) => {
    const asking = { id: part.id, claims: so.own(part), deadline: so.deadline };
    return growthRefusalsOf(part.store, asking).catch(() => []);
  });
  const answers = [...so.answers, ...(await Promise.all(asked)).flat()];
  return { status: 'refused', refusals: refusalsAmong(answers, claims), ...heardOf(answers) };
}
