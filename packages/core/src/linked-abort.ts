/** An abort of our own that also follows the caller's. */
export interface LinkedAbort {
  readonly signal: AbortSignal;
  abort(reason: unknown): void;
  /** Lets go of the caller's signal, which may outlive many calls. */
  unlink(): void;
}

export function linkedAbort(outer: AbortSignal | undefined): LinkedAbort {
  const own = new AbortController();
  const follow = (): void => own.abort(outer?.reason);
  if (outer?.aborted) follow();
  else outer?.addEventListener('abort', follow, { once: true });
  return {
    signal: own.signal,
    abort: (reason) => own.abort(reason),
    unlink: () => outer?.removeEventListener('abort', follow),
  };
}
