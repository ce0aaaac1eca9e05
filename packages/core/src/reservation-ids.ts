/**
 * Makes ids that are unique across processes and short, since a store keeps each of them: 64 random
 * bits per guard and a counter. (A random UUID per call costs more than the rest of a reservation.)
 */
export function reservationIds(): () => string {
  const random = crypto.getRandomValues(new Uint32Array(2));
  const prefix = [...random].map((word) => word.toString(36).padStart(7, '0')).join('');
  let count = 0;
  return () => {
    count += 1;
    return `${prefix}-${count.toString(36)}`;
  };
}
