// Runs a command with this repository's tools: `node scripts/with-tools.mjs <command> [args…]`.
//
// Installs them first when what is installed is not what the lockfile asks for, and puts them,
// with the Node they need, first in PATH. So a fresh clone needs npm and any Node from 20 on,
// which is why this file is plain JavaScript without dependencies.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const bin = join(root, 'node_modules', '.bin');
const stamp = join(root, 'node_modules', '.hardcap-installed');
const minimumNode = [22, 18];

// npm hands its whole configuration to scripts as npm_* variables. Those that say where and how
// packages are reached stay; the others would steer, or confuse, pnpm and the tools.
const kept =
  /^npm_config_(registry|cache|userconfig|globalconfig|(https?_)?proxy|noproxy|ca|cafile|cert|key|strict_ssl|offline|prefer_offline|@.*|\/\/.*)$/i;
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name) || kept.test(name)),
);

const [command, ...args] = process.argv.slice(2);
if (command === undefined) fail('Usage: node scripts/with-tools.mjs <command> [args…]');
install();
checkNode();
run();

function fail(message) {
  console.error(message);
  process.exit(1);
}

function read(file) {
  return readFileSync(join(root, file), 'utf8');
}

/** The package.json of the root and of every folder that pnpm-workspace.yaml names. */
function manifests() {
  const patterns = [...read('pnpm-workspace.yaml').matchAll(/^ {2}- (\S+)$/gm)].map((m) => m[1]);
  const folders = patterns.flatMap((pattern) => {
    if (!pattern.endsWith('/*')) return [pattern];
    const parent = pattern.slice(0, -2);
    return readdirSync(join(root, parent)).map((name) => `${parent}/${name}`);
  });
  const files = ['package.json', ...folders.map((folder) => `${folder}/package.json`)];
  return files.filter((file) => existsSync(join(root, file))).sort();
}

function fingerprint() {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}\n`);
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', ...manifests()]) {
    hash.update(`${file}\n${read(file)}\n`);
  }
  return hash.digest('hex');
}

function install() {
  const wanted = fingerprint();
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;

  const pnpm = `pnpm@${JSON.parse(read('package.json')).devDependencies.pnpm}`;
  console.error('Setting up: installing the packages of pnpm-lock.yaml (this is done once) …');
  rmSync(stamp, { force: true });
  const result = spawnSync(
    'npx',
    ['--yes', pnpm, 'install', '--frozen-lockfile', '--config.confirm-modules-purge=false'],
    { cwd: root, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] },
  );
  if (result.error) fail(`The set-up needs npx, which comes with npm: ${result.error.message}`);
  if (result.status !== 0) {
    console.error(`${result.stdout}${result.stderr}`.trim());
    fail(
      'The set-up failed; what pnpm said is above. ' +
        `After editing a package.json, run \`npx ${pnpm} install\` to bring pnpm-lock.yaml up to date.`,
    );
  }
  writeFileSync(stamp, wanted);
}

/** Where no package brings a Node for this platform, the one that runs this must do. */
function checkNode() {
  if (existsSync(join(bin, 'node'))) return;
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > minimumNode[0] || (major === minimumNode[0] && minor >= minimumNode[1])) return;
  fail(
    `The tools need Node ${minimumNode.join('.')} or newer; this is ${process.version}, ` +
      `and no Node package is listed for ${process.platform} ${process.arch}.`,
  );
}

function run() {
  const path = [bin, process.env['PATH']].join(delimiter);
  const child = spawn(command, args, { env: { ...env, PATH: path }, stdio: 'inherit' });

  const forward = (signal) => {
    // A terminal sends its Ctrl-C to the child as well: do not interrupt it twice.
    if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, forward);

  child.on('error', (error) => fail(`Could not run ${command}: ${error.message}`));
  child.on('exit', (code, signal) => {
    process.exitCode = signal ? 128 + constants.signals[signal] : code;
  });
}
