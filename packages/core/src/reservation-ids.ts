const PREFIX_BYTES = 6;

/**
 * Makes ids that are unique across processes: 48 random bits per guard, and a counter. They are short,
 * since a store keeps each of them, and because joining strings of 12 characters and less copies them,
 * while longer ones are put together only when their hash is needed. (A random UUID per call costs
 * more than the rest of a reservation.)
 */
export function reservationIds(): () => string {
  let prefix = '';
  let count = 0;
  return () => {
    // With the first id: workers refuse random numbers while their modules are loaded.
    if (prefix === '') {
      const random = crypto.getRandomValues(new Uint8Array(PREFIX_BYTES));
      // No sign at the front, which a spreadsheet would take for a formula.
      prefix = btoa(String.fromCharCode(...random))
        .replaceAll('+', '.')
        .replaceAll('/', '_');
    }
    count += 1;
    return prefix + count.toString(36);
  };
}
