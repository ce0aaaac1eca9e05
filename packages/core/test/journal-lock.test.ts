import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { benchOf, callOf, usdBudget } from './support/guard.ts';
import { journalPath } from './support/journal-files.ts';

function start(journal: string) {
  return benchOf([usdBudget('1')], { journal }).guard;
}

/** The lock of a process of this host, without the start time that tells it from a later one. */
function lockOf(pid: number | undefined, others: object = {}): string {
  return JSON.stringify({ pid, host: hostname(), started: null, ...others });
}

describe('a journal in use', () => {
  test('by another guard of this process is refused', async () => {
    const journal = journalPath();
    const [first, second] = [start(journal), start(journal)];
    await first.flush();
    await expect(second.reserve(callOf(1))).rejects.toThrow(/in use by another guard of this/);
    await second.close();
    expect(existsSync(`${journal}.lock`)).toBe(true);
    await first.close();
    const third = start(journal);
    await third.flush();
    await third.close();
  });

  test('is given back by a guard that is closed while it opens', async () => {
    const journal = journalPath();
    let load = () => {};
    const loaded = new Promise<void>((done) => {
      load = done;
    });
    vi.doMock('../src/journal.ts', async (original) => {
      await loaded;
      return original();
    });
    onTestFinished(() => vi.doUnmock('../src/journal.ts'));
    const guard = start(journal);
    const closed = guard.close();
    for (let turn = 0; turn < 20; turn += 1) await new Promise((done) => setImmediate(done));
    load();
    await closed;
    await guard.flush();
    expect(existsSync(`${journal}.lock`)).toBe(false);
  });

  test('by another process is refused, until that is gone', async () => {
    const journal = journalPath();
    const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    const lock = lockOf(other.pid);
    writeFileSync(`${journal}.lock`, lock);
    const refused = start(journal);
    const message = `"${journal}" is in use by process ${other.pid}. Give every guard`;
    await expect(refused.flush()).rejects.toThrow(message);
    await refused.close();
    expect(readFileSync(`${journal}.lock`, 'utf8')).toBe(lock);
    other.kill('SIGKILL');
    await once(other, 'close');
    const guard = start(journal);
    await guard.flush();
    await guard.close();
  });

  test.each([
    ['on another host', lockOf(1, { host: 'elsewhere' }), 'process 1 on host "elsewhere"'],
    ['by nobody knows whom', 'who knows', 'somebody'],
    ['by no process', lockOf(-1), 'somebody'],
  ])('%s is refused, with the way out', async (_, lock, who) => {
    const journal = journalPath();
    writeFileSync(`${journal}.lock`, lock);
    const guard = start(journal);
    await expect(guard.flush()).rejects.toThrow(`in use by ${who}. Give every guard`);
    await expect(guard.flush()).rejects.toThrow(`delete "${journal}.lock"`);
    await guard.close();
  });

  test('once by a process that is gone is taken over', async () => {
    const journal = journalPath();
    writeFileSync(`${journal}.lock`, lockOf(spawnSync('true').pid));
    const guard = start(journal);
    await guard.flush();
    expect(JSON.parse(readFileSync(`${journal}.lock`, 'utf8'))).toMatchObject({ pid: process.pid });
    await guard.close();
  });

  test.runIf(process.platform === 'linux')(
    'once by a process whose number this one has now is taken over',
    async () => {
      const journal = journalPath();
      writeFileSync(`${journal}.lock`, lockOf(process.pid, { started: '1' }));
      const guard = start(journal);
      await guard.flush();
      await guard.close();
    },
  );

  test('is not let go by a guard that does not have it any more', async () => {
    const journal = journalPath();
    const guard = start(journal);
    await guard.flush();
    const other = lockOf(1);
    writeFileSync(`${journal}.lock`, other);
    await guard.close();
    expect(readFileSync(`${journal}.lock`, 'utf8')).toBe(other);
  });
});
