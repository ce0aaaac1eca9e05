import { createHash, randomBytes } from 'node:crypto';

/** Values that nobody may read anywhere, by the way on which each comes in. */
export interface MarkedSecrets {
  readonly call: string;
  readonly context: string;
  readonly guard: string;
  readonly exempt: string;
  readonly grant: string;
  readonly selector: string;
  readonly invalid: string;
  readonly outage: string;
  readonly config: string;
}

export function markedSecrets(): MarkedSecrets {
  return {
    call: secret('call'),
    context: secret('context'),
    guard: secret('guard'),
    exempt: secret('exempt'),
    grant: secret('grant'),
    selector: secret('selector'),
    invalid: secret('invalid'),
    outage: secret('outage'),
    config: secret('config'),
  };
}

/** @param way says in a failure where it came from */
export function secret(way: string): string {
  return `sk-${way}-${randomBytes(12).toString('hex')}`;
}

/** The part of a secret that is found nowhere by chance, also where only the end is shown. */
export function tellTale(value: string): string {
  return value.slice(-16);
}

/** What is shown of a secret: the first 16 hex digits of its SHA-256. */
export function shownAs(value: string): string {
  return createHash('sha256').update(value).digest('hex').slice(0, 16);
}
