import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Metafile, type OutputFile, type Plugin } from 'esbuild';

const ENTRY = fileURLToPath(new URL('../../packages/core/src/index.ts', import.meta.url));

export interface Bundle {
  readonly code: string;
  readonly metafile: Metafile;
}

const OPTIONS = {
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
} as const satisfies BuildOptions;

/** `@hardcap/core` as one script that sets a global, what would load later included. */
export async function bundleCore(globalName: string): Promise<Bundle> {
  const { outputFiles, metafile } = await build({ ...OPTIONS, format: 'iife', globalName });
  return { code: new TextDecoder().decode(contentsOf(outputFiles)), metafile };
}

/** Sizes are of files as webpack and Rollup cut them: what the first file has is in no other. */
export interface SplitBundle {
  /** What `import '@hardcap/core'` loads. */
  readonly atImport: Uint8Array;
  /** What is loaded when it is first needed, by module. */
  readonly later: ReadonlyMap<string, Uint8Array>;
}

/** `@hardcap/core` as a bundler for browsers and workers splits it, minified. */
export async function splitCore(packages: 'bundle' | 'external' = 'bundle'): Promise<SplitBundle> {
  const modules = new Set<string>();
  const main = await build({ ...OPTIONS, packages, plugins: [leavingOut(modules)] });
  const loaded = new Set(Object.keys(main.metafile.inputs).map((path) => resolve(path)));
  const later = new Map<string, Uint8Array>();
  // A set visits what is added to it on the way.
  for (const module of modules) {
    const plugins = [leavingOut(modules, loaded)];
    const { outputFiles } = await build({ ...OPTIONS, entryPoints: [module], packages, plugins });
    later.set(module, contentsOf(outputFiles));
  }
  return { atImport: contentsOf(main.outputFiles), later };
}

/** Leaves out of a file what it imports later, which is added to `later`, and what is loaded already. */
function leavingOut(later: Set<string>, loaded: ReadonlySet<string> = new Set()): Plugin {
  return {
    name: 'leaving out',
    setup({ onResolve }) {
      onResolve({ filter: /^\./ }, ({ kind, path, resolveDir }) => {
        const module = resolve(resolveDir, path);
        if (kind === 'dynamic-import') later.add(module);
        return kind === 'dynamic-import' || loaded.has(module) ? { path, external: true } : null;
      });
    },
  };
}

function contentsOf([file]: readonly OutputFile[]): Uint8Array {
  if (file === undefined) throw new Error('esbuild wrote nothing');
  return file.contents;
}
