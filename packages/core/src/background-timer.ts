/**
 * Calls back once, and keeps no process alive for it that is otherwise done. What it gives goes to
 * `clearTimeout`: a number where there are only those, an object in Node.
 */
export function setBackgroundTimer(callback: () => void, ms: number): number {
  const timer = setTimeout(callback, ms);
  (timer as { unref?(): void }).unref?.();
  return timer;
}
