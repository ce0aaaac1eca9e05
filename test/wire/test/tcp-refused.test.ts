import { expect, it } from 'vitest';
import { tcpRefused } from '../tcp-refused.ts';

it('gives a URL where connections are refused', async () => {
  const refused = await tcpRefused();
  const failure = { cause: expect.objectContaining({ code: 'ECONNREFUSED' }) };
  await expect(fetch(refused.url)).rejects.toMatchObject(failure);
  await refused.close();
  await expect(fetch(refused.url)).rejects.toMatchObject(failure);
});
