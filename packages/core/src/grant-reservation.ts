const PREFIX = 'grant:';

/** The id under which the accounts that pay for a grant hold it: a ledger can tell it from a call. */
export function grantReservation(grant: string): string {
  return PREFIX + grant;
}

/** The grant that a reservation is of; undefined where it is of a call. */
export function grantOf(reservation: string | undefined): string | undefined {
  return reservation?.startsWith(PREFIX) ? reservation.slice(PREFIX.length) : undefined;
}
