import { objectAt } from '@hardcap/core/adapter';

/**
 * What the provider itself says the call cost, in nano-USD rounded up; undefined where it says
 * nothing.
 */
export function reportedCost(usage: unknown, providerMetadata: unknown): number | undefined {
  return (
    gatewayCost(providerMetadata) ??
    openRouterCost(usage, providerMetadata) ??
    xaiCost(providerMetadata)
  );
}

/** With a key of the caller's own the gateway charges nothing, and the market price is what it cost. */
function gatewayCost(metadata: unknown): number | undefined {
  const gateway = objectAt(metadata, 'gateway');
  const cost = nanoUsdUp(gateway?.['cost']);
  return cost === 0 ? (nanoUsdUp(gateway?.['marketCost']) ?? cost) : cost;
}

function openRouterCost(usage: unknown, metadata: unknown): number | undefined {
  const reported = objectAt(metadata, 'openrouter', 'usage');
  const cost = nanoUsdUp(reported?.['cost']);
  if (cost === undefined) return undefined;
  const upstream = nanoUsdUp(objectAt(reported, 'costDetails')?.['upstreamInferenceCost']) ?? 0;
  // With a key of the caller's own, OpenRouter's fee comes on top of what the provider charges.
  const isOwnKey = objectAt(usage, 'raw')?.['is_byok'] === true;
  return isOwnKey ? cost + upstream : Math.max(cost, upstream);
}

const XAI_TICKS_PER_NANO_USD = 10;

function xaiCost(metadata: unknown): number | undefined {
  const ticks = objectAt(metadata, 'xai')?.['costInUsdTicks'];
  if (typeof ticks !== 'number' || !Number.isFinite(ticks) || ticks < 0) return undefined;
  return Math.ceil(ticks / XAI_TICKS_PER_NANO_USD);
}

const DECIMAL = /^(\d+)(?:\.(\d*))?(?:e([+-]?\d+))?$/i;
const NANO_DIGITS = 9;

/** Nano-USD of an amount in USD, by its digits, rounded up; undefined for what is no amount. */
export function nanoUsdUp(amount: unknown): number | undefined {
  if (typeof amount !== 'string' && typeof amount !== 'number') return undefined;
  const [, whole, fraction = '', exponent = '0'] = DECIMAL.exec(String(amount).trim()) ?? [];
  if (whole === undefined) return undefined;
  const shift = NANO_DIGITS + Number(exponent) - fraction.length;
  // Far beyond any price: not worth a number of a million digits.
  if (Math.abs(shift) > 400) return undefined;
  const digits = BigInt(whole + fraction);
  const scale = 10n ** BigInt(Math.abs(shift));
  const nano = Number(shift >= 0 ? digits * scale : (digits + scale - 1n) / scale);
  return Number.isSafeInteger(nano) ? nano : undefined;
}
