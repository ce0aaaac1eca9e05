/** What is not about waiting must not fail since the disk of some machine is slow. */
export const PATIENT_MS = 60_000;
