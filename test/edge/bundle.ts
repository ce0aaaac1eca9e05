import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Metafile, type OutputFile } from 'esbuild';

const ENTRY = fileURLToPath(new URL('../../packages/core/src/index.ts', import.meta.url));

export interface Bundle {
  readonly code: string;
  readonly bytes: Uint8Array;
  readonly metafile: Metafile;
}

/** `@hardcap/core` as a bundler for browsers and workers makes it, minified. */
export async function bundleCore(options: BuildOptions = {}): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    entryPoints: [ENTRY],
    bundle: true,
    minify: true,
    platform: 'browser',
    conditions: ['worker', 'browser'],
    target: 'es2022',
    format: 'esm',
    write: false,
    metafile: true,
    logLevel: 'silent',
    ...options,
  });
  const [file] = outputFiles as OutputFile[];
  if (file === undefined || metafile === undefined) throw new Error('esbuild wrote nothing');
  return { code: file.text, bytes: file.contents, metafile };
}
