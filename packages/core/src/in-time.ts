/**
 * An answer, or an error when it takes longer. What comes too late reaches nobody: whether the
 * operation was carried out is unknown then.
 *
 * @param startTimer another keeps no process alive.
 */
export async function inTime<Answer>(
  answer: PromiseLike<Answer>,
  timeoutMs: number,
  startTimer: (callback: () => void, ms: number) => unknown = setTimeout,
): Promise<Answer> {
  let timer: unknown;
  const late = new Promise<never>((_, fail) => {
    timer = startTimer(() => fail(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer as never);
  }
}
