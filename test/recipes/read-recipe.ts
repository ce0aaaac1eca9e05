import { readdirSync, readFileSync } from 'node:fs';

const FOLDER = new URL('../../docs/recipes/', import.meta.url);

/** A page of docs/recipes, taken apart. */
export interface Recipe {
  readonly name: string;
  /** The configuration. */
  readonly yaml: string;
  readonly code: string;
  /** What the code is said to print. */
  readonly output: string;
}

/** All pages, with the one block of each kind that each of them has. */
export function readRecipes(): Recipe[] {
  const pages = readdirSync(FOLDER).filter((file) => file !== 'README.md');
  return pages.map((file) => {
    const text = readFileSync(new URL(file, FOLDER), 'utf8');
    const block = (language: string): string => {
      const blocks = [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)];
      const found = blocks.filter(([, of]) => of === language);
      const [first] = found;
      if (first === undefined || found.length > 1 || blocks.length > 3) {
        throw new Error(`${file} has ${found.length} blocks of ${language}, and one is wanted`);
      }
      return first[2] as string;
    };
    return { name: file, yaml: block('yaml'), code: block('ts'), output: block('text') };
  });
}
