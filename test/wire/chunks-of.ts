/** The tokens that travel in one chunk. */
export interface TokenGroup {
  readonly text: string;
  readonly count: number;
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

export function* chunksOf(tokens: readonly string[], tokensPerChunk = 1): Generator<TokenGroup> {
  for (let start = 0; start < tokens.length; start += tokensPerChunk) {
    const group = tokens.slice(start, start + tokensPerChunk);
    yield {
      text: group.join(''),
      count: group.length,
      isFirst: start === 0,
      isLast: start + tokensPerChunk >= tokens.length,
    };
  }
}
