/**
 * An answer, or an error when it takes longer. What comes too late reaches nobody: whether the
 * operation was carried out is unknown then.
 */
export async function inTime<Answer>(
  answer: PromiseLike<Answer>,
  timeoutMs: number,
): Promise<Answer> {
  let timer: unknown;
  const late = new Promise<never>((_, fail) => {
    timer = setTimeout(() => fail(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer as never);
  }
}
