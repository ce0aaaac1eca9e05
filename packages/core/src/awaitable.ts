/** A value that is there, or will be. Awaiting one that is there costs as much as making it. */
export type Awaitable<T> = T | PromiseLike<T>;

export function isPending<T>(value: Awaitable<T>): value is PromiseLike<T> {
  return typeof (value as PromiseLike<T>).then === 'function';
}

/** Goes on with a value, at once where it is there. */
export function whenThere<T, U>(
  value: Awaitable<T>,
  use: (value: T) => Awaitable<U>,
): Awaitable<U> {
  return isPending(value) ? value.then(use) : use(value);
}

/** A promise of what `make` gives, also of what it throws. */
export function promised<T>(make: () => Awaitable<T>): Promise<T> {
  try {
    return Promise.resolve(make());
  } catch (error) {
    return Promise.reject(error);
  }
}
