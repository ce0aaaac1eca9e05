import type { SpendGuard } from '@hardcap/core';
import { exactly, heading, styled } from './call-table.ts';
import type { ProviderBooks } from './provider.ts';

/** What the ledger says was spent. */
async function spent(guard: SpendGuard): Promise<number> {
  let nano = 0;
  for await (const entry of guard.ledger()) nano += entry.costNanoUsd ?? 0;
  return nano;
}

/** Holds the ledger against the provider's own books; false when they do not agree. */
export async function compareBooks(
  guards: { readonly agent: SpendGuard; readonly stream: SpendGuard },
  provider: ProviderBooks | null,
): Promise<boolean> {
  heading('The books');
  const agent = await spent(guards.agent);
  const stream = await spent(guards.stream);
  if (provider === null) {
    console.log(`agent   ${exactly(agent)} by the ledger`);
    console.log(`stream  ${exactly(stream)} by the ledger`);
    return true;
  }
  const cut = provider.exchanges.at(-1)?.billedNanoUsd ?? 0;
  const billed = provider.billedNanoUsd() - cut;
  const same = agent === billed;
  const enough = stream >= cut;
  console.log(
    `agent   ${exactly(agent)} by the ledger ${same ? '=' : '!='} ${exactly(billed)} billed by the provider`,
  );
  console.log(
    `stream  ${exactly(stream)} by the ledger ${enough ? '>=' : '<'} ${exactly(cut)} billed by the provider`,
  );
  console.log(
    styled('dim', 'A stream that was cut brings no usage: it is charged as metered, never below.'),
  );
  return same && enough;
}
