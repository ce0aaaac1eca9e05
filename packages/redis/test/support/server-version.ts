import { execFileSync } from 'node:child_process';
import { SERVER } from './redis-server.ts';

/** What `--version` says: the version of Redis or of Valkey, which goes on from Redis 7.2. */
const said = execFileSync(SERVER, ['--version'], { encoding: 'utf8' });
const major = Number(/v=(\d+)/.exec(said)?.[1]);

/** Settings by which a server answers all the time while it loads its data, if there are any. */
export const ANSWERS_WHILE_LOADING: readonly string[] =
  major >= 7 ? ['--loading-process-events-interval-bytes', '1024'] : [];

/** Whether the server that the tests run on takes scripts that say what they may do. */
export const TAKES_FLAGS: boolean = major >= 7;
