import { compileWindow, SinkUnavailableError } from '@hardcap/core';
import { afterAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { RedisUsageSink } from '../src/index.ts';
import { FIND, RELEASE } from '../src/scripts.ts';
import { claimOn } from './support/accounts.ts';
import { LATE_MS, PartingClient } from './support/parting-client.ts';
import {
  accounts,
  ask,
  askOnly,
  end,
  entriesOf,
  expectClean,
  figures,
  ofAll,
  ofOrg,
  START,
  TTL,
  TwoStores,
} from './support/two-stores.ts';

const stores = await TwoStores.start();

afterAll(() => stores.stop());
beforeEach(() => stores.begin());

test('a call that the second step refuses holds nothing in the first, and may ask again', async () => {
  const sink = stores.sink();
  await sink.reserve(askOnly('other', ofAll, 60));
  expect(await sink.reserve(ask('r1', 50))).toMatchObject({
    admitted: false,
    refusals: [{ account: 'all', kind: 'held' }],
  });
  expect(await figures(sink)).toBe('0+0 0+60');
  expect(await sink.settle(end('r1', 50))).toMatchObject({ status: 'never-held' });
  await sink.release('other');
  expect(await sink.reserve(ask('r1', 50))).toMatchObject({ admitted: true });
  expect(await figures(sink)).toBe('0+50 0+50');
  await expectClean(sink, 1);
});

test('a window whose only call was refused above has been used: its rest rolls over', async () => {
  const sink = stores.sink();
  const window = compileWindow({ fixed: '1m' });
  const rule = { ...ofOrg.rule, window, rollover: 30 };
  const claims = [claimOn({ key: ofOrg.key, rule }, 10), claimOn(ofAll, 101)];
  expect(await sink.reserve({ ...ask('r1', 0), claims })).toMatchObject({ admitted: false });
  stores.time += 60_000;
  const next = { key: ofOrg.key, rule };
  expect(await sink.read([next])).toMatchObject([{ committed: 0, held: 0, limit: 130 }]);
});

test('a process that dies between the steps leaves a hold that expires, and is charged', async () => {
  const client = new PartingClient(stores.owner);
  const dying = stores.sink(client);
  await dying.reserve(askOnly('before', ofOrg, 0));
  client.fateOf = stores.above('lost');
  await expect(dying.reserve(ask('r1', 30))).rejects.toThrow(SinkUnavailableError);
  const sink = stores.sink();
  expect(await figures(sink)).toBe('0+30 0+0');
  stores.time += TTL;
  expect(await figures(sink)).toBe('30+0 0+0');
  expect(await entriesOf(sink)).toContain('expiry r1:expiry org-daily|org=acme:30');
  // Whoever knows better corrects it, as with any hold that expired.
  expect(await sink.settle(end('r1', 0))).toMatchObject({ status: 'late' });
  expect(await figures(sink)).toBe('0+0 0+0');
  await expectClean(sink, 0);
});

test('without an answer of the second step the caller gives back both parts, or asks again', async () => {
  const client = new PartingClient(stores.owner);
  const sink = stores.sink(client);
  client.fateOf = stores.above('unheard');
  await sink.reserve(askOnly('met', ofOrg, 0)).catch(() => {});
  for (const id of ['released', 'repeated']) {
    client.fateOf = stores.above('unheard');
    await expect(sink.reserve(ask(id, 20))).rejects.toThrow(SinkUnavailableError);
  }
  client.fateOf = () => 'sent';
  await sink.release('released');
  expect(await sink.reserve(ask('repeated', 20))).toMatchObject({ admitted: true });
  expect(await figures(sink)).toBe('0+20 0+20');
});

test('a refusal whose first part cannot be taken back is no denial, and is finished before anything else', async () => {
  const client = new PartingClient(stores.owner);
  const sink = stores.sink(client);
  await sink.reserve(askOnly('other', ofAll, 90));
  await sink.reserve(askOnly('met', ofOrg, 0));
  await sink.release('met');
  let commands = 0;
  client.fateOf = (key) => {
    if (stores.within('lost')(key) === 'sent') return 'sent';
    commands += 1;
    // The first is the hold.
    return commands > 1 ? 'lost' : 'sent';
  };
  await expect(sink.reserve(ask('r1', 50))).rejects.toThrow(SinkUnavailableError);
  await expect(sink.reserve(ask('r1', 50))).rejects.toThrow(SinkUnavailableError);
  client.fateOf = () => 'sent';
  expect(await figures(sink)).toBe('0+50 0+90');
  await sink.release('other');
  stores.time += 1;
  expect(await sink.reserve(ask('r1', 50))).toMatchObject({ admitted: true });
  const [command = '', ...args] = client.commands.findLast((each) => each.at(-1) === START) ?? [];
  // It was on its way all the time.
  await stores.owner.call(String(command), ...args);
  expect(await figures(sink)).toBe('0+50 0+50');
  expect(await sink.settle(end('r1', 40))).toMatchObject({ status: 'settled' });
  expect(await figures(sink)).toBe('40+0 40+0');
  await expectClean(sink, 0);
});

test('both steps have one deadline', async () => {
  const client = new PartingClient(stores.owner);
  const sink = stores.sink(client, { timeoutMs: 1_000 });
  await sink.reserve(ask('met', 0));
  client.fateOf = (key) => (stores.within('late')(key) === 'late' ? 'late' : 'nothing');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const failed = vi.fn();
  sink.reserve(ask('r1', 50)).catch(failed);
  // The deadline, and the reply that is to come late.
  while (vi.getTimerCount() < 2) await new Promise((resolve) => setImmediate(resolve));
  await vi.advanceTimersByTimeAsync(LATE_MS);
  await vi.advanceTimersByTimeAsync(1_000 - LATE_MS - 1);
  expect(failed).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(failed.mock.lastCall?.[0]).toBeInstanceOf(SinkUnavailableError);
});

test('a call takes one command in each of its stores, and a refusal one more', async () => {
  const client = new PartingClient(stores.owner);
  const sink = stores.sink(client);
  const within = askOnly('met', ofOrg, 0);
  for (const request of [within, ask('both', 30)]) {
    await sink.reserve(request);
    await sink.extend(request);
    await sink.settle({ ...end(request.id, 0), charges: [] });
  }
  // Scripts are known by now, that of a release too.
  await sink.reserve(ask('big', 101));
  await sink.reserve(askOnly('other', ofAll, 60));
  await sink.reserve(ask('refused', 50));
  const commandsOf = async (work: () => Promise<unknown>) => {
    const before = client.commands.length;
    await work();
    return client.commands.length - before;
  };
  const { claims } = ask('r2', 2);
  expect([
    await commandsOf(() => sink.reserve({ ...within, id: 'r1' })),
    await commandsOf(() => sink.settle(end('r1', 0))),
    await commandsOf(() => sink.reserve(ask('r2', 1))),
    await commandsOf(() => sink.extend({ id: 'r2', claims, ttlMs: TTL })),
    await commandsOf(() => sink.settle(end('r2', 1))),
    await commandsOf(() => sink.read(accounts)),
  ]).toEqual([1, 1, 2, 2, 2, 2]);
  // Refused by the first, the second is asked who else would; by the second, the first is undone.
  expect(await commandsOf(() => sink.reserve(ask('r3', 101)))).toBe(2);
  expect(await commandsOf(() => sink.reserve(ask('r4', 50)))).toBe(3);
});

test('a first part whose answer was lost is taken back by the attempt that is refused', async () => {
  const client = new PartingClient(stores.owner);
  const sink = stores.sink(client);
  await sink.reserve(askOnly('other', ofAll, 90));
  await sink.reserve(askOnly('met', ofOrg, 0));
  client.fateOf = stores.within('unheard');
  await expect(sink.reserve(ask('r1', 50))).rejects.toThrow(SinkUnavailableError);
  client.fateOf = () => 'sent';
  expect(await figures(sink)).toBe('0+50 0+90');
  expect(await sink.reserve(ask('r1', 50))).toMatchObject({ admitted: false });
  expect(await figures(sink)).toBe('0+0 0+90');
});

test('a refusal holds nothing, however far the clock here is from the server’s', async () => {
  const now = Date.now();
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  for (const hours of [-3, 3]) {
    stores.begin();
    vi.setSystemTime(now + hours * 3_600_000);
    const withoutTime = {
      namespace: stores.namespace,
      partitionBy: ['org'],
      timeoutMs: 10_000,
      checkServer: false,
    };
    await new RedisUsageSink(stores.owner, withoutTime).reserve(askOnly('other', ofAll, 90));
    // It has met neither of the stores, and knows no time but its own.
    const sink = new RedisUsageSink(stores.owner, withoutTime);
    expect(await sink.reserve(ask('r1', 50))).toMatchObject({ admitted: false });
    expect(await figures(sink)).toBe('0+0 0+90');
  }
});

test('calls that fail one after the other are remembered up to a number', async () => {
  const client = new PartingClient(stores.owner);
  const sink = stores.sink(client);
  await sink.reserve(ask('met', 0));
  client.fateOf = () => 'lost';
  const fail = (id: string) => expect(sink.reserve(ask(id, 1))).rejects.toThrow('LOST');
  await fail('first');
  for (let from = 0; from < 20_000; from += 1_000) {
    await Promise.all(Array.from({ length: 1_000 }, (_, place) => fail(`r${from + place}`)));
  }
  client.fateOf = () => 'sent';
  client.commands.length = 0;
  const firstScript = async (id: string) => {
    client.commands.length = 0;
    await sink.release(id);
    return client.commands[0]?.[1];
  };
  expect([RELEASE.sha, RELEASE.flagged?.sha]).toContain(await firstScript('r19999'));
  expect([FIND.sha, FIND.flagged?.sha]).toContain(await firstScript('first'));
});

test('what another process holds under an id is not taken back', async () => {
  const client = new PartingClient(stores.owner);
  const one = stores.sink(client);
  await one.reserve(askOnly('met', ofOrg, 0));
  client.fateOf = stores.above('lost');
  await expect(one.reserve(ask('r1', 50))).rejects.toThrow(SinkUnavailableError);
  stores.time += 1_000;
  const other = stores.sink();
  await other.reserve(askOnly('other', ofAll, 90));
  expect(await other.reserve(ask('r1', 50))).toMatchObject({ admitted: false });
  expect(await figures(other)).toBe('0+50 0+90');
  await other.release('other');
  client.fateOf = () => 'sent';
  expect(await one.reserve(ask('r1', 50))).toMatchObject({ admitted: true });
  expect(await figures(one)).toBe('0+50 0+50');
});

test('what took a refused hold back takes no later one back, however late it comes again', async () => {
  const client = new PartingClient(stores.owner);
  const sink = stores.sink(client);
  await sink.reserve(askOnly('other', ofAll, 90));
  await sink.reserve(ask('r1', 50));
  const [command = '', ...args] = client.commands.findLast((each) => each.at(-1) === START) ?? [];
  await sink.release('other');
  stores.time += 1;
  expect(await sink.reserve(ask('r1', 50))).toMatchObject({ admitted: true });
  await stores.owner.call(String(command), ...args);
  expect(await figures(sink)).toBe('0+50 0+50');
  await expectClean(sink, 1);
});

test('an extension that the second step refuses leaves the first as it was', async () => {
  const sink = stores.sink();
  await sink.reserve(askOnly('other', ofAll, 50));
  await sink.reserve(ask('r1', 20));
  const { claims } = ask('r1', 51);
  expect(await sink.extend({ id: 'r1', claims, ttlMs: 10 * TTL })).toMatchObject({
    status: 'refused',
    refusals: [{ account: 'all', requested: 51, held: 50 }],
  });
  expect(await figures(sink)).toBe('0+20 0+70');
  stores.time += TTL;
  expect(await figures(sink)).toBe('20+0 70+0');
});

test('an extension that is refused takes no time from the call, however far apart the clocks of the servers are', async () => {
  // The server of the store above is two minutes ahead.
  const isAbove = stores.above('late');
  const ahead = {
    call: (command: string, ...args: (string | number)[]) => {
      const isScript = command === 'EVALSHA' || command === 'EVAL';
      if (isScript && isAbove(String(args[2])) === 'late') args[5] = Number(args[5]) + 2 * TTL;
      return stores.owner.call(command, ...args);
    },
  };
  const { namespace } = stores;
  const now = () => stores.time;
  const sink = new RedisUsageSink(ahead, {
    namespace,
    partitionBy: ['org'],
    now,
    timeoutMs: 10_000,
  });
  await sink.reserve(askOnly('other', ofAll, 50));
  await sink.reserve(ask('r1', 20));
  const { claims } = ask('r1', 51);
  expect(await sink.extend({ id: 'r1', claims, ttlMs: TTL })).toMatchObject({ status: 'refused' });
  stores.time += TTL - 1;
  expect(await sink.read([ofOrg])).toMatchObject([{ committed: 0, held: 20 }]);
});
