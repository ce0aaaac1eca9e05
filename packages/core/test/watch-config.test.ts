import { mkdtempSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import {
  ConfigError,
  createSpendGuard,
  type SpendGuard,
  type SpendGuardTerms,
} from '../src/index.ts';
import { type ConfigWatcher, type WatchConfigOptions, watchConfig } from '../src/watch-config.ts';
import { PRICES } from './support/prices.ts';

const folder = mkdtempSync(join(tmpdir(), 'hardcap-watch-'));
const open: { close(): unknown }[] = [];

afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => {
  for (const each of open.splice(0)) each.close();
});

interface Watch {
  readonly path: string;
  readonly guard: SpendGuard;
  readonly watcher: ConfigWatcher;
  /** What the watcher said, in order: `reload`, or the message of an error. */
  readonly said: string[];
  /** Waits until it has said so much. */
  heard(count: number): Promise<string[]>;
  limit(): Promise<number | null | undefined>;
}

let files = 0;

function watch(text: string | undefined, options: WatchConfigOptions = {}): Watch {
  files += 1;
  const path = join(folder, `hardcap-${files}.yaml`);
  if (text !== undefined) put(path, text);
  const guard = createSpendGuard({ budgets: [], unbudgeted: 'allow' });
  const said: string[] = [];
  let wake = (): void => {};
  const say = (what: string): void => {
    said.push(what);
    wake();
  };
  const watcher = watchConfig(path, guard, {
    intervalMs: 10,
    onReload: () => say('reload'),
    onError: (error) => say((error as Error).message),
    ...options,
  });
  open.push(watcher, guard);
  const heard = async (count: number): Promise<string[]> => {
    while (said.length < count) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    return said;
  };
  const limit = async () => (await guard.status({ user: 'ann' }))[0]?.limit;
  return { path, guard, watcher, said, heard, limit };
}

/** Writes a file as a whole, so that no reading can meet a part of it. */
function put(path: string, text: string): void {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}

function requests(count: number): string {
  return `budgets:\n  - { name: calls, per: [user], limit: { requests: ${count} }, window: total }\n`;
}

describe('a file that is watched', () => {
  test('is put in force, and again when it changes', async () => {
    const watched = watch(requests(5));
    await watched.heard(1);
    expect(await watched.limit()).toBe(5);
    put(watched.path, requests(6));
    await watched.heard(2);
    expect(await watched.limit()).toBe(6);
    expect(watched.said).toEqual(['reload', 'reload']);
  });

  test('may be replaced, as editors do, or linked anew, as clusters do', async () => {
    const watched = watch(requests(5));
    await watched.heard(1);
    put(watched.path, requests(6));
    await watched.heard(2);
    expect(await watched.limit()).toBe(6);
    writeFileSync(`${watched.path}.data`, requests(7));
    symlinkSync(`${watched.path}.data`, `${watched.path}.link`);
    renameSync(`${watched.path}.link`, watched.path);
    await watched.heard(3);
    expect(await watched.limit()).toBe(7);
  });

  test('that is bad is reported once and ignored, with its place', async () => {
    const watched = watch(requests(5));
    await watched.heard(1);
    put(watched.path, requests(0));
    const [, problem] = await watched.heard(2);
    expect(problem).toContain(`${watched.path}:2:`);
    expect(problem).toContain('0 is not a number of requests');
    expect(await watched.limit()).toBe(5);
    put(watched.path, 'budgets: [');
    await watched.heard(3);
    put(watched.path, requests(8));
    expect((await watched.heard(4)).at(-1)).toBe('reload');
    expect(await watched.limit()).toBe(8);
  });

  test('that is valid, and that the guard refuses, changes nothing', async () => {
    const watched = watch(requests(5));
    await watched.heard(1);
    put(watched.path, requests(5).replace('requests', 'tokens'));
    expect((await watched.heard(2)).at(-1)).toContain('counts requests, and would go on in tokens');
    expect(await watched.limit()).toBe(5);
  });

  test('that goes away changes nothing, and counts again when it is back', async () => {
    const watched = watch(undefined);
    expect((await watched.heard(1))[0]).toContain('ENOENT');
    put(watched.path, requests(5));
    await watched.heard(2);
    unlinkSync(watched.path);
    expect((await watched.heard(3))[2]).toContain('ENOENT');
    expect(await watched.limit()).toBe(5);
    put(watched.path, requests(5));
    await watched.heard(4);
    expect(watched.said.map((what) => what.slice(0, 6))).toEqual([
      'ENOENT',
      'reload',
      'ENOENT',
      'reload',
    ]);
  });

  test('has prices made of what it says of them', async () => {
    const text = `prices: { free: [ollama/*] }\n${requests(5)}`;
    const asked: unknown[] = [];
    const watched = watch(text, {
      prices: (prices) => {
        asked.push(prices);
        return PRICES;
      },
    });
    await watched.heard(1);
    expect(asked).toEqual([{ free: ['ollama/*'] }]);
    expect((await watch(text).heard(1))[0]).toContain('createPriceBook()');
  });

  test('has references to the environment', async () => {
    const text = requests(5).replace('5', '"${CALLS}"');
    const watched = watch(text, { environment: { CALLS: '9' } });
    await watched.heard(1);
    expect(await watched.limit()).toBe(9);
  });
});

/** What comes of a file that reads like this, one text after the other, and then stays as it is. */
async function applied(
  readings: readonly string[],
): Promise<{ budgets: number[]; errors: number }> {
  const done = { budgets: [] as number[], errors: 0 };
  const guard = {
    reconfigure: async ({ budgets }: SpendGuardTerms) => {
      done.budgets.push(budgets.length);
    },
  };
  let isOver = (): void => {};
  const over = new Promise<void>((resolve) => {
    isOver = resolve;
  });
  let reads = 0;
  const readFile = async (): Promise<string> => {
    reads += 1;
    if (reads === readings.length + 5) isOver();
    return readings[reads - 1] ?? (readings.at(-1) as string);
  };
  const { getBuiltinModule } = process;
  process.getBuiltinModule = (() => ({ readFile })) as never;
  try {
    const onError = () => {
      done.errors += 1;
    };
    open.push(watchConfig('read.yaml', guard, { intervalMs: 10, onError }));
  } finally {
    process.getBuiltinModule = getBuiltinModule;
  }
  await over;
  return done;
}

test('a file that is being written counts once two readings are the same, and once in all', async () => {
  const half = requests(5);
  const whole = `${half}  - { name: more, per: [], limit: { requests: 9 }, window: total }\n`;
  expect(await applied([half, whole, half, whole, whole])).toEqual({ budgets: [2], errors: 0 });
});

test('a file that stays bad is reported once', async () => {
  const bad = 'budgets: [';
  const result = await applied([requests(5), requests(5), bad, bad, bad]);
  expect(result).toEqual({ budgets: [1], errors: 1 });
});

test('a watcher that is closed reads no more', async () => {
  const watched = watch(requests(5));
  await watched.heard(1);
  watched.watcher.close();
  unlinkSync(watched.path);
  put(watched.path, requests(6));
  const other = watch(requests(1));
  await other.heard(1);
  put(other.path, requests(2));
  await other.heard(2);
  expect(watched.said).toEqual(['reload']);
  expect(await watched.limit()).toBe(5);
});

test('a callback that throws stops nothing', async () => {
  let calls = 0;
  let isReloaded = (): void => {};
  const reloaded = new Promise<void>((resolve) => {
    isReloaded = resolve;
  });
  const watched = watch('budgets: [', {
    onError: () => {
      calls += 1;
      put(watched.path, requests(5));
      throw new Error('of the callback');
    },
    onReload: () => isReloaded(),
  });
  await reloaded;
  expect(calls).toBe(1);
});

test('an interval that is none, and a runtime that is not Node, are refused', () => {
  expect(() => watch(requests(1), { intervalMs: 0 })).toThrow(ConfigError);
  const { getBuiltinModule } = process;
  process.getBuiltinModule = (() => undefined) as never;
  try {
    expect(() => watch(requests(1))).toThrow('only Node can');
  } finally {
    process.getBuiltinModule = getBuiltinModule;
  }
});
