import { teamGuard } from './team-guard.ts';
import { tellParent, workUntilRefused } from './work-until-refused.ts';

// One process of several under one cap: `node team-worker.ts <file> <base URL of the provider>`.
const [, , file = '', baseUrl = ''] = process.argv;
await workUntilRefused(teamGuard(file, tellParent), baseUrl);
