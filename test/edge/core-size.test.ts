import { brotliCompressSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { bundleCore } from './bundle.ts';

/** As edge platforms and content networks serve it, with brotli. */
const LIMIT_BYTES = 20_000;

function kilobytes(bytes: Uint8Array): {
  minified: string;
  gzip: number;
  brotli: number;
  text: string;
} {
  const [gzip, brotli] = [gzipSync(bytes, { level: 9 }).length, brotliCompressSync(bytes).length];
  const kB = (count: number) => `${(count / 1_000).toFixed(1)} kB`;
  const minified = kB(bytes.length);
  return {
    minified,
    gzip,
    brotli,
    text: `${minified} minified, ${kB(gzip)} gzip, ${kB(brotli)} brotli`,
  };
}

test("core's own code is at most 20 kB compressed; what an import costs in all is told beside it", async () => {
  const own = kilobytes((await bundleCore({ packages: 'external' })).bytes);
  const whole = kilobytes((await bundleCore()).bytes);
  console.log(`@hardcap/core: own code ${own.text}; with its dependencies ${whole.text}`);
  expect(own.brotli).toBeLessThanOrEqual(LIMIT_BYTES);
});
