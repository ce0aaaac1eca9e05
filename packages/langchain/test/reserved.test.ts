import { BudgetExceededError, type CallRequest, type SpendCall } from '@hardcap/core';
import { describe, expect, it } from 'vitest';
import { reserved } from '../src/reserved.ts';
import { type Stage, stage } from './stage.ts';

/** Each call holds all of the cap. */
const CAP = '0.10';
const REQUEST: CallRequest = { provider: 'p', model: 'm', inputTokens: 0, maxOutputTokens: 10 };
const PATIENT: CallRequest = { ...REQUEST, waitForHeadroomMs: 60_000 };

async function occupied(): Promise<Stage & { readonly first: SpendCall }> {
  const here = stage(CAP);
  return { ...here, first: await reserved(here.guard, REQUEST) };
}

const free = (call: SpendCall) => call.settle({ outcome: 'known', costNanoUsd: 0 });

describe('a call that others leave no room for', () => {
  it('is refused at once where it does not wait', async () => {
    const { guard } = await occupied();
    await expect(reserved(guard, REQUEST)).rejects.toSatisfy(BudgetExceededError.isInstance);
  });

  it('is admitted when they settle where it does', async () => {
    const { guard, first } = await occupied();
    const second = reserved(guard, PATIENT, new AbortController().signal);
    await free(first);
    expect((await second).admittedOutputTokens).toBe(10);
  });

  it('is left by a caller that aborts while it waits', async () => {
    const { guard, first, events } = await occupied();
    const caller = new AbortController();
    const gone = new Error('gone');
    const second = reserved(guard, PATIENT, caller.signal);
    caller.abort(gone);
    await expect(second).rejects.toBe(gone);
    await free(first);
    const admitted = () => events.filter(({ type }) => type === 'reserved').length;
    await expect.poll(admitted).toBe(2);
    await expect.poll(() => guard.verify()).toMatchObject({ reservations: 0, differences: [] });
  });
});

it.each([true, false])(
  'a caller that has aborted holds nothing (before it asked: %s)',
  async (isBefore) => {
    const { guard, events } = stage(CAP);
    const caller = new AbortController();
    const gone = new Error('gone');
    if (isBefore) caller.abort(gone);
    const call = reserved(guard, REQUEST, caller.signal);
    caller.abort(gone);
    await expect(call).rejects.toBe(gone);
    await expect.poll(() => guard.verify()).toMatchObject({ reservations: 0, differences: [] });
    expect(events).toHaveLength(isBefore ? 0 : 1);
  },
);
