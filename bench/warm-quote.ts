import { createPriceBook } from '@hardcap/prices';
import type { Gate } from './gate.ts';
import { quietNanoseconds } from './rounds.ts';

const NOON = Date.UTC(2026, 10, 30, 12);
const NANOSECONDS_PER_QUOTE = 500;

/** Asking the price book again for a model it has met. */
export async function warmQuoteGate(): Promise<Gate> {
  const book = createPriceBook();
  const request = { provider: 'openai.responses', model: 'gpt-5.1', at: NOON };
  const quote = {
    name: 'quote',
    async run(count: number): Promise<void> {
      for (let index = 0; index < count; index += 1) book.quote(request);
    },
  };
  const times = await quietNanoseconds([quote], { rounds: 9, count: 100_000 });
  return {
    what: 'prices: a warm quote',
    measured: times.get('quote') as number,
    atMost: NANOSECONDS_PER_QUOTE,
    unit: 'ns',
    note: 'nothing: far below what it is part of',
  };
}
