import { basename } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { splitCore } from './bundle.ts';

/** As edge platforms and content networks serve it, with brotli. */
const LIMIT_BYTES = 20_000;

function sizeOf(file: Uint8Array): { readonly brotli: number; readonly text: string } {
  const kB = (bytes: number): string => `${(bytes / 1_000).toFixed(1)} kB`;
  const [gzip, brotli] = [gzipSync(file, { level: 9 }).length, brotliCompressSync(file).length];
  return { brotli, text: `${kB(file.length)} minified, ${kB(gzip)} gzip, ${kB(brotli)} brotli` };
}

test("what an import loads of core's own code is at most 20 kB compressed; the rest is told beside it", async () => {
  const own = await splitCore('external');
  const atImport = sizeOf(own.atImport);
  const later = [...own.later].map(([path, file]) => `  ${basename(path)}: ${sizeOf(file).text}`);
  console.log(
    `@hardcap/core at import: own code ${atImport.text}; ` +
      `with its dependencies ${sizeOf((await splitCore()).atImport).text}\n` +
      `Loaded when it is first needed:\n${later.join('\n')}`,
  );
  expect(atImport.brotli).toBeLessThanOrEqual(LIMIT_BYTES);
});
