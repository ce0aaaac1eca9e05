import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';

type Library = typeof import('@hardcap/redis');

const ENTRY = fileURLToPath(import.meta.resolve('@hardcap/redis'));
const VERSION = /^const SCHEMA = (\d+);$/m;

/**
 * Another version of the library, as a rolling deploy has it beside this one: a copy of it all, whose
 * keys have another number.
 *
 * @param step from the number of this one, such as -1
 */
export async function otherSchema(step: number): Promise<Library> {
  const { outputFiles } = await build({
    entryPoints: [ENTRY],
    bundle: true,
    format: 'esm',
    platform: 'node',
    // For those who give a URL, which nobody does here.
    external: ['ioredis'],
    write: false,
    plugins: [renumbered(step)],
  });
  const text = Buffer.from(outputFiles[0]?.contents ?? '').toString('base64');
  return import(/* @vite-ignore */ `data:text/javascript;base64,${text}`);
}

function renumbered(step: number): Plugin {
  return {
    name: 'another schema',
    setup({ onLoad }) {
      onLoad({ filter: /\/store-keys\.ts$/ }, async ({ path }) => {
        const source = await readFile(path, 'utf8');
        const [line, version] = VERSION.exec(source) ?? [];
        if (line === undefined) throw new Error(`${path} has no number of the schema`);
        const other = `const SCHEMA = ${Number(version) + step};`;
        return { contents: source.replace(line, other), loader: 'ts' };
      });
    },
  };
}
