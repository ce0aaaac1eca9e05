export { ContractViolation } from './check.ts';
export { usageSinkContract } from './contract.ts';
export type {
  CreateSink,
  SinkCapabilities,
  SinkContext,
  SinkUnderTest,
  TestApi,
} from './sink-under-test.ts';
export { type UsageSinkModelOptions, usageSinkModel } from './usage-sink-model.ts';
