/** The deadline of operations where a test is not about deadlines: no machine is so slow. */
export const UNHURRIED_MS = 60_000;
