/** The text in pieces that join to it again: so many as said, else one for every word. */
export function splitIntoTokens(text: string, count?: number): string[] {
  if (count === undefined) return text.match(/\s*\S+|\s+$/g) ?? [];
  const characters = Array.from(text);
  return Array.from({ length: count }, (_, position) =>
    characters
      .slice(
        Math.floor((position * characters.length) / count),
        Math.floor(((position + 1) * characters.length) / count),
      )
      .join(''),
  );
}
