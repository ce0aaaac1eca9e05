/** What names a timer to `clearTimeout`: a number, or an object in Node. */
export type BackgroundTimer = ReturnType<typeof setTimeout>;

/** Calls back once, and keeps no process alive for it that is otherwise done. */
export function setBackgroundTimer(callback: () => void, ms: number): BackgroundTimer {
  const timer = setTimeout(callback, ms);
  (timer as { unref?(): void }).unref?.();
  return timer;
}
