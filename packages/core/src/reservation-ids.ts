const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz-';
const PREFIX_LENGTH = 8;

/**
 * Makes ids that are unique across processes: 48 random bits per guard, and a counter. They are short,
 * since a store keeps each of them, and because joining strings of 12 characters and less copies them,
 * while longer ones are put together only when their hash is needed. (A random UUID per call costs
 * more than the rest of a reservation.)
 */
export function reservationIds(): () => string {
  const random = crypto.getRandomValues(new Uint8Array(PREFIX_LENGTH));
  const prefix = [...random].map((byte) => ALPHABET[byte & 63]).join('');
  let count = 0;
  return () => {
    count += 1;
    return prefix + count.toString(36);
  };
}
