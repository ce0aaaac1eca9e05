/** Rules of `ACL SETUSER` for a user that can keep budgets and nothing else, as in docs/redis.md. */
export const LEAST_PERMISSIONS: readonly string[] = [
  'reset',
  'on',
  '>secret',
  '~{hardcap:*',
  ...['evalsha', 'eval', 'time', 'pexpire', 'info', 'hello', 'client', 'ping'],
  ...['hget', 'hmget', 'hset', 'hdel', 'hscan'],
  ...['zadd', 'zrem', 'zrange', 'zrangebyscore', 'zscore'],
  ...['xadd', 'xlen', 'xrange', 'xrevrange', 'xtrim'],
].map((rule) => (/^[a-z]+$/.test(rule) && !['reset', 'on'].includes(rule) ? `+${rule}` : rule));
