import { tellParent, workUntilRefused } from '@hardcap/example-ai-sdk-agent/work-until-refused.ts';
import { fleetGuard } from './fleet-guard.ts';

// One process of a fleet under one cap: `node fleet-worker.ts <URL of Redis> <base URL of the provider>`.
const [, , url = '', baseUrl = ''] = process.argv;
await workUntilRefused(fleetGuard(url, tellParent), baseUrl);
