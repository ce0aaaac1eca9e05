/** A value as text, without what differs from run to run: ids, and the second in which it was made. */
export function shown(value: unknown): string {
  return JSON.stringify(value)
    .replace(/(?:run-|chatcmpl-|msg_|resp_|lc_run--|wire0)[-\w]+/g, 'id')
    .replace(/"(?:created|created_at|completed_at)":\d+/g, '"created":0');
}
