import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { ConfigError, createSpendGuard } from '@hardcap/core';
import { webhook } from '@hardcap/core/webhook';
import { RedisUsageSink, upstashRest } from '@hardcap/redis';
import { Redis } from 'ioredis';
import { Redis as Redis5 } from 'ioredis5';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { TestRedis } from '../../packages/redis/test/support/test-redis.ts';
import { secret, tellTale } from './marked-secrets.ts';
import { Traces } from './traces.ts';

const server = await TestRedis.start('--requirepass', secret('password'));
afterAll(() => server.stop());

const { port } = server.server;
type Client = ConstructorParameters<typeof RedisUsageSink>[0];

function quiet<Own extends Redis | Redis5>(client: Own): Own {
  client.on('error', () => {});
  onTestFinished(() => client.disconnect());
  return client;
}

const CLIENTS: readonly (readonly [name: string, open: (password: string) => Client])[] = [
  ['a URL', (password) => `redis://:${password}@127.0.0.1:${port}`],
  ['ioredis 6', (password) => quiet(new Redis({ port, password }))],
  ['ioredis 5', (password) => quiet(new Redis5({ port, password }))],
  ['ioredis 5 with a user', (password) => quiet(new Redis5({ port, username: 'ann', password }))],
];

test.each(CLIENTS)('a password that Redis refuses is read nowhere: %s', async (_, open) => {
  const traces = new Traces();
  const password = secret('wrong');
  const sink = new RedisUsageSink(open(password), { timeoutMs: 500 });
  const guard = createSpendGuard({
    budgets: [{ name: 'all', per: [], limit: { requests: 5 }, window: 'total' }],
    sink,
    onEvent: (event) => traces.add(`event ${event.type}`, event),
  });
  onTestFinished(() => guard.close());
  const call = { provider: 'openai', model: 'large', inputTokens: 1 };
  const error: unknown = await guard.reserve(call).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'SINK_UNAVAILABLE' });
  traces.add('error', error);
  traces.add('sink', typeof open(password) === 'string' ? sink : "its client is the program's");
  expect(traces.sources).toContain('event sink-unavailable');
  expect(traces.placesOf(tellTale(password))).toEqual([]);
});

/** The port of a server that repeats what it is sent. */
async function echoPort(): Promise<number> {
  const echo = createServer((socket) => socket.on('error', () => {}).pipe(socket));
  await once(echo.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void echo.close());
  return (echo.address() as AddressInfo).port;
}

test.each([
  ['that is none', async () => port],
  ['that repeats what it is sent', echoPort],
] as const)('the token of a REST server is read nowhere: one %s', async (_, portOf) => {
  const traces = new Traces();
  const token = secret('token');
  const client = upstashRest({ url: `http://127.0.0.1:${await portOf()}`, token });
  const sink = new RedisUsageSink(client, { timeoutMs: 300 });
  const error: unknown = await sink.read([]).catch((thrown: unknown) => thrown);
  traces.add('error', error);
  traces.add('client', client);
  traces.add('sink', sink);
  expect(error).toMatchObject({ code: 'SINK_UNAVAILABLE' });
  expect(traces.placesOf(tellTale(token))).toEqual([]);
});

test('a webhook takes no credentials in its URL, which errors would show', () => {
  const traces = new Traces();
  const password = secret('webhook');
  const key = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const make = () => webhook({ url: `https://ann:${password}@example.com/hooks`, secret: key });
  expect(make).toThrow(ConfigError);
  expect(make).toThrow('`headers`');
  try {
    make();
  } catch (error) {
    traces.add('error', error);
  }
  expect(traces.placesOf(tellTale(password))).toEqual([]);
});
