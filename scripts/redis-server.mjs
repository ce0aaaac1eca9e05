// Makes sure that there is a redis-server for the tests: a global set-up of vitest. Installs it where
// apt can, says what to do elsewhere, and never lets the tests pass without it.
import { spawnSync } from 'node:child_process';

export default function setup() {
  const { REDIS_SERVER: chosen } = process.env;
  if (isThere(chosen ?? 'redis-server')) return;
  if (chosen !== undefined) throw new Error(`REDIS_SERVER: ${chosen} cannot be started.`);
  if (!isThere('apt-get')) {
    throw new Error(
      'The tests of the Redis sink need redis-server 6.2 or newer (or Valkey under that name). ' +
        'Install it: `brew install redis`, `dnf install redis` or `apk add redis`.',
    );
  }
  console.error('Setting up: installing redis-server for the tests (this is done once) …');
  const sudo = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
  const apt = (...args) => run([...sudo, 'apt-get', ...args]);
  const install = ['install', '-y', '--no-install-recommends', 'redis-server'];
  if (apt(...install).status !== 0) {
    apt('update');
    const { status, output } = apt(...install);
    if (status !== 0) {
      throw new Error(
        `redis-server could not be installed. Run \`sudo apt-get install -y redis-server\`.\n${output}`,
      );
    }
  }
  if (!isThere('redis-server')) throw new Error('apt installed no redis-server in the PATH.');
}

function isThere(command) {
  return spawnSync(command, ['--version']).status === 0;
}

function run([command, ...args]) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', env });
  return { status, output: `${stdout ?? ''}${stderr ?? ''}` };
}
