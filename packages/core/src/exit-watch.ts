interface ExitingProcess {
  on?(event: 'exit', listener: () => void): void;
  off?(event: 'exit', listener: () => void): void;
}

const watchers = new Set<() => void>();

function runtime(): ExitingProcess | undefined {
  return (globalThis as { process?: ExitingProcess }).process;
}

function tellAll(): void {
  for (const watcher of watchers) watcher();
}

/**
 * Calls `watcher` when the process exits, until {@link unwatchExit}. However many there are, the
 * process has one listener, and none when there is nothing to tell. A runtime without exits has none.
 */
export function watchExit(watcher: () => void): void {
  if (watchers.size === 0) runtime()?.on?.('exit', tellAll);
  watchers.add(watcher);
}

export function unwatchExit(watcher: () => void): void {
  if (watchers.delete(watcher) && watchers.size === 0) runtime()?.off?.('exit', tellAll);
}
