// Runs the whole test suite on the Node of the tools and again on Node 22, the oldest supported
// line. Arguments go to vitest: `npm test -- money`.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const path = (file) => fileURLToPath(new URL(`../${file}`, import.meta.url));
const vitest = path('node_modules/vitest/vitest.mjs');
const node22 = path('test/node-22/node_modules/.bin/node');

suite(process.execPath);
if (existsSync(node22)) {
  suite(node22);
} else {
  console.log(
    `\nNOT RUN on Node 22: no Node 22 package is listed for ${process.platform} ${process.arch}.`,
  );
  if (process.env['CI']) process.exitCode = 1;
}

function suite(node) {
  const version = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout?.trim();
  console.log(`\nTests on Node ${version}`);
  const { status } = spawnSync(node, [vitest, 'run', ...process.argv.slice(2)], {
    cwd: path('.'),
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(status ?? 1);
}
