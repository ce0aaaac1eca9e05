export { type CheckConfigOptions, checkConfig } from './check-config.ts';
export type { Environment } from './environment-references.ts';
export type { Finding, FindingCode, Severity } from './finding.ts';
export type { GuardConfig } from './guard-config.ts';
export { type LoadConfigOptions, loadConfig } from './load-config.ts';
export type { ModelPriceConfig, PriceConfig, RateConfig } from './price-config.ts';
