// Puts the Lua files together into src/scripts.ts: `npm run scripts` in this folder. A test fails when
// that is not up to date.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = new URL('src/lua/', import.meta.url);
const target = new URL('src/scripts.ts', import.meta.url);

const HEAD = `// Made by flatten-scripts.ts from the files in lua/. Do not edit.

/** A script, and what Redis knows it by. */
export interface Script {
  readonly name: string;
  readonly sha: string;
  readonly text: string;
  /** The same for servers that know flags. */
  readonly flagged?: { readonly sha: string; readonly text: string };
}

const FLAGS = '#!lua flags=allow-oom\\n';
const UNLOCK = "redis.call('ZREM', KEYS[2], '')";
`;

/** What frees room, or would be lost, must also run when the server is full, and what comes before it. */
const ALLOWED_WHEN_FULL = [
  'settle',
  'settle-many',
  'settle-leased',
  'adopt',
  'release',
  'find',
  'open',
];
const FLAGS = '#!lua flags=allow-oom\n';
/** For servers that know no flags: once a script has written, by taking nothing away, it may go on. */
const UNLOCK = "redis.call('ZREM', KEYS[2], '')";

/** The text of src/scripts.ts as the Lua files have it now. */
export function scriptsModule(): string {
  const parts = namesIn('include/').map((name) => {
    return `const ${constant(name)}_PART: string = String.raw\`${partText(`include/${name}`)}\`;\n`;
  });
  return [HEAD, ...parts, ...namesIn('').map(scriptOf)].join('\n');
}

function scriptOf(name: string): string {
  const source = readFileSync(new URL(`${name}.lua`, folder), 'utf8');
  const includes = [...source.matchAll(/^--@include ([\w-]+)$/gm)].map(([, part = '']) => part);
  const own = partText(name);
  const text = [...includes.map((part) => partText(`include/${part}`)), own].join('');
  const isAllowed = ALLOWED_WHEN_FULL.includes(name);
  const id = constant(name);
  const uses = [...includes.map((part) => `${constant(part)}_PART`), `${id}_OWN`].join(', ');
  const flagged = [`  flagged: { sha: '${shaOf(FLAGS + text)}', text: FLAGS + ${id}_TEXT },`];
  const lines = [
    `const ${id}_OWN: string = String.raw\`${own}\`;`,
    `const ${id}_TEXT: string = [${uses}].join('');`,
    '',
    `export const ${id}: Script = {`,
    `  name: '${name}',`,
    `  sha: '${shaOf(isAllowed ? UNLOCK + text : text)}',`,
    `  text: ${isAllowed ? `UNLOCK + ${id}_TEXT` : `${id}_TEXT`},`,
    ...(isAllowed ? flagged : []),
    '};',
    '',
  ];
  return lines.join('\n');
}

function namesIn(path: string): string[] {
  const files = readdirSync(new URL(path, folder)).filter((file) => file.endsWith('.lua'));
  return files.map((file) => file.replace('.lua', '')).toSorted();
}

/** Without comments and indentation: servers keep the text of every script. */
function partText(path: string): string {
  const source = readFileSync(new URL(`${path}.lua`, folder), 'utf8');
  // A function that is too long for one file has the rest of its body in another.
  const whole = source.replaceAll(/^ *--@inside (\S+)$/gm, (_, inner: string) =>
    readFileSync(new URL(`include/${inner}.lua`, folder), 'utf8'),
  );
  const lines = whole.split('\n').map((line) => line.trim());
  return `\n${lines.filter((line) => line !== '' && !line.startsWith('--')).join('\n')}`;
}

function constant(name: string): string {
  return name.replaceAll('-', '_').toUpperCase();
}

function shaOf(text: string): string {
  return createHash('sha1').update(text).digest('hex');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(target, scriptsModule());
