const WORDS = (
  'oak elm fir ash bay fig yew pine palm teak sun moon star rain wind snow ' +
  'sea lake hill dune reef cave moss fern owl wren crow hawk fox hare lynx seal'
).split(' ');

/** The same words in the same order each time: one token each, with its leading space. */
export function words(count: number): string[] {
  return Array.from({ length: count }, (_, position) => ` ${WORDS[position % WORDS.length]}`);
}
