/** A value that is there, or will be. */
export type Awaitable<T> = T | PromiseLike<T>;

export function isPending<T>(value: Awaitable<T>): value is PromiseLike<T> {
  return typeof (value as PromiseLike<T>).then === 'function';
}
