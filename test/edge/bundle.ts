import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Metafile, type OutputFile } from 'esbuild';

/** The source of an entry of `@hardcap/core`. */
function entry(name: string): string {
  return fileURLToPath(new URL(`../../packages/core/src/${name}.ts`, import.meta.url));
}

export interface Bundle {
  readonly code: string;
  readonly metafile: Metafile;
}

const OPTIONS = {
  entryPoints: [entry('index')],
  bundle: true,
  minify: true,
  platform: 'browser',
  conditions: ['worker', 'browser'],
  target: 'es2022',
  format: 'esm',
  write: false,
  metafile: true,
  logLevel: 'silent',
} as const satisfies BuildOptions;

/** An entry of `@hardcap/core` as one script that sets a global, what would load later included. */
export async function bundleCore(name: string, globalName: string): Promise<Bundle> {
  const entryPoints = [entry(name)];
  const { outputFiles, metafile } = await build({
    ...OPTIONS,
    entryPoints,
    format: 'iife',
    globalName,
  });
  return { code: new TextDecoder().decode(contentsOf(outputFiles)), metafile };
}

export interface SplitBundle {
  /**
   * What `import '@hardcap/core'` loads. esbuild makes several files of it, for what is used from
   * elsewhere too; webpack and Rollup make one, and so it is here.
   */
  readonly atImport: Uint8Array;
  /** What is loaded when it is first needed, by the name of the file. */
  readonly later: ReadonlyMap<string, Uint8Array>;
}

/** `@hardcap/core` as a bundler for browsers and workers splits it, minified. */
export async function splitCore(packages: 'bundle' | 'external' = 'bundle'): Promise<SplitBundle> {
  const splitting = { splitting: true, outdir: '/core', absWorkingDir: '/' };
  const { outputFiles, metafile } = await build({ ...OPTIONS, ...splitting, packages });
  const loaded = new Set<string>(['core/index.js']);
  // A set visits what is added to it on the way.
  for (const path of loaded) {
    for (const { path: next, kind } of metafile.outputs[path]?.imports ?? []) {
      if (kind === 'import-statement') loaded.add(next);
    }
  }
  const isLoaded = ({ path }: OutputFile): boolean => loaded.has(path.slice(1));
  const atImport = Buffer.concat(outputFiles.filter(isLoaded).map(({ contents }) => contents));
  const later = outputFiles.filter((file) => !isLoaded(file));
  return { atImport, later: new Map(later.map(({ path, contents }) => [path, contents])) };
}

function contentsOf([file]: readonly OutputFile[]): Uint8Array {
  if (file === undefined) throw new Error('esbuild wrote nothing');
  return file.contents;
}
