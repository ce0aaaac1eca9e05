// The most output tokens of one call, by model family, first match first. Where hosts differ, the
// largest figure, since this is a bound. Sources: [M] github.com/anomalyco/models.dev at f3fc692
// (2026-07-02), [V] vercel.com/ai-gateway/models, [C] platform.claude.com/docs/en/models,
// [S] @ai-sdk/anthropic getModelCapabilities, [G] docs.cloud.google.com model pages,
// [D] api-docs.deepseek.com/quick_start/pricing; the last five as of autumn 2026. A family that no
// source covers is left out: its bound is the context window, or what the call asks for.
const FAMILIES: readonly (readonly [family: RegExp, tokens: number])[] = [
  // An embedding or a ranking is no output.
  [/embed|rerank|\bbge-|\bvoyage-/, 0],
  // [M]
  [/\bgpt-(?:3\.5|35)-turbo|\bgpt-4-turbo|\bgpt-4o-2024-05-13/, 4_096],
  [/\bgpt-4o(?!:extended)/, 16_384],
  [/\bgpt-4\.1/, 32_768],
  [/\bgpt-5-pro/, 272_000],
  // [M] up to 5.5, [V] for 5.6
  [/\bgpt-5(?!-image)/, 128_000],
  // [V]
  [/\bgpt-6-sol/, 128_000],
  // [M]
  [/\/o1-mini/, 65_536],
  [/\/o[134](?:-|$)/, 100_000],
  // [M]; 3.7 has a beta for 128k
  [/claude-3[-.]7|claude-sonnet-3[-.]7/, 128_000],
  [/claude-3[-.]5/, 8_192],
  [/claude-3-|claude-2|claude-v1/, 4_096],
  // [M], [S] for 4.6 and later, [C] for 5 and later
  [/claude-(?:opus-4[-.][678]|sonnet-4[-.]6|(?:opus|sonnet|fable)-5)/, 128_000],
  [/claude-(?:opus-4[-.]5|haiku-4|sonnet-4|4-sonnet)/, 64_000],
  [/claude-(?:opus-4|4-opus)/, 32_000],
  // [M]
  [/\bgemini-(?:1\.5|2\.0)/, 8_192],
  [/\bgemini-2\.5-flash-image/, 32_768],
  // [M], [G] for 3.6 and later
  [/\bgemini-(?:2\.5|3)/, 65_536],
  // [D]
  [/^deepseek\/deepseek-(?:chat|reasoner|v4)/, 384_000],
];

/** The most output tokens of one call of `provider/model`; null when no source states it. */
export function outputLimit(key: string): number | null {
  return FAMILIES.find(([family]) => family.test(key))?.[1] ?? null;
}
