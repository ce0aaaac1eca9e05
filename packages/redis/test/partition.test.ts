import { ConfigError } from '@hardcap/core';
import { describe, expect, test } from 'vitest';
import { checkPartition } from '../src/index.ts';
import { Partition } from '../src/partition.ts';
import { PartitionStores } from '../src/partition-stores.ts';

const byOrg = new Partition('fleet', ['org']);

test('an account is in the partition of its values, and above them all where it lacks one', () => {
  expect(byOrg.nameOf('org-daily|org=acme')).toBe('org=acme');
  expect(byOrg.nameOf('user-daily|user=u1|org=acme')).toBe('org=acme');
  expect(byOrg.nameOf('user-daily|user=u1')).toBeNull();
  expect(byOrg.nameOf('all')).toBeNull();
  expect(byOrg.nameOf('all|suborg=acme')).toBeNull();
  const byBoth = new Partition('fleet', ['org', 'team']);
  expect(byBoth.nameOf('team-daily|team=core|org=acme')).toBe('org=acme|team=core');
  expect(byBoth.nameOf('org-daily|org=acme')).toBeNull();
});

test('each partition has a hash tag of its own, whatever is in a value', () => {
  expect(byOrg.keysOf('org=acme').books).toMatch(/^\{hardcap:fleet\|org=acme\}:\d+:books$/);
  expect(byOrg.keysOf(null).due).toMatch(/^\{hardcap:fleet\|org\}:\d+:due$/);
  expect(byOrg.registry).toMatch(/^\{hardcap:fleet\|org\}:\d+:partitions$/);
  const strange = ['a}b', '{', '}', '{}', '', ' ', 'é', '💰', 'x'.repeat(700), '%7b', 'a=b', '#'];
  const tags = strange.map((value) => {
    const { books } = byOrg.keysOf(byOrg.nameOf(`org-daily|org=${value}`));
    const [, tag = ''] = /^\{([^{}]*)\}:\d+:books$/.exec(books) ?? [];
    expect(tag, value).toMatch(/^hardcap:fleet\|org=[\w.:@/+~%#-]{1,64}$/);
    return tag;
  });
  expect(new Set(tags).size).toBe(strange.length);
});

describe('a partition that is none is refused', () => {
  test.each([[[]], [['org', 'org']], [['']], [['a|b']], [['a=b']], [['{org}']]])(
    '%j',
    (dimensions) => {
      expect(() => new Partition('fleet', dimensions)).toThrow(ConfigError);
    },
  );
});

test('budgets that lack a dimension are above the partition; where all do, nothing is spread', () => {
  const budgets = [
    { name: 'org-daily', per: ['org'], limit: { usd: '5' }, window: { calendar: 'day' } },
    { name: 'seat', per: ['user', 'org'], limit: { requests: 5 }, window: 'total' },
    { name: 'all', per: [], limit: { usd: '500' }, window: 'total' },
  ];
  const plan = { within: ['org-daily', 'seat'], above: ['all'] };
  expect(checkPartition(['org'], budgets)).toEqual(plan);
  expect(() => checkPartition(['team'], budgets)).toThrow(/no budget is kept per team/);
});

test('of very many partitions those are remembered that are in use', () => {
  const client = { call: () => Promise.reject(new Error('nothing is asked')) };
  const connection = { client, replicated: null, check: null };
  const stores = new PartitionStores(connection, new Partition('fleet', ['org']), {});
  const [busy, idle] = [stores.at('org=busy'), stores.at('org=idle')];
  for (let index = 0; index < 20_000; index += 1) {
    stores.at(`org=o${index}`);
    stores.at('org=busy');
  }
  expect(stores.at('org=busy')).toBe(busy);
  expect(stores.at('org=idle')).not.toBe(idle);
});
