import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ConfigError } from '../src/index.ts';
import { webhook } from '../src/webhook.ts';

const SECRET = `whsec_${randomBytes(32).toString('base64')}`;

describe('a webhook is refused', () => {
  test.each([
    ['for a secret without its prefix', { secret: randomBytes(32).toString('base64') }],
    ['for a secret that is too short', { secret: `whsec_${randomBytes(23).toString('base64')}` }],
    ['for a secret that is too long', { secret: `whsec_${randomBytes(65).toString('base64')}` }],
    ['for a secret that is no base64', { secret: 'whsec_§§§§' }],
    ['for a place that is none', { url: 'example.com/hooks' }],
    ['for another protocol', { url: 'file:///etc/passwd' }],
    ['for no attempts', { maxAttempts: 0 }],
    ['for attempts without end', { maxAttempts: Number.NaN }],
    ['for no time', { timeoutMs: -1 }],
    ['for no queue', { maxQueue: 0.5 }],
  ])('%s', (_, wrong) => {
    const options = { url: 'https://example.com/hooks', secret: SECRET, ...wrong };
    let error: unknown;
    try {
      webhook(options);
    } catch (thrown) {
      error = thrown;
    }
    expect(ConfigError.isInstance(error)).toBe(true);
    expect((error as Error).message).not.toContain(options.secret);
  });
});
