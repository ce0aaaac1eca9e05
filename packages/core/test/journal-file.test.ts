import { spawnSync } from 'node:child_process';
import fs, { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test, vi } from 'vitest';
import { MemoryUsageSink, type SpendCall, type UsageSink } from '../src/index.ts';
import { admit, benchOf, callOf, type GuardBench, usdBudget } from './support/guard.ts';
import { HEADER, idsIn, journalPath, linesOf, settleLine } from './support/journal-files.ts';

function start(journal: string, sink: UsageSink = new MemoryUsageSink()): GuardBench {
  return benchOf([usdBudget('1')], { journal, sink });
}

/** A sink with reservations of 100 by these ids. */
async function sinkHolding(...ids: string[]): Promise<MemoryUsageSink> {
  const sink = new MemoryUsageSink();
  const seen: Parameters<typeof sink.reserve>[0][] = [];
  const { reserve } = sink;
  sink.reserve = (request) => {
    seen.push(request);
    return reserve.call(sink, request);
  };
  const { guard } = benchOf([usdBudget('1')], { sink });
  await (await admit(guard, callOf(1))).release();
  const [request] = seen;
  if (request === undefined) throw new Error('Nothing was reserved.');
  for (const id of ids) reserve.call(sink, { ...request, id });
  return sink;
}

async function committed({ guard }: GuardBench): Promise<number | undefined> {
  return (await guard.status())[0]?.committed;
}

describe('a journal that was damaged', () => {
  test.each([
    ['torn in its last line', `{"send":{"id":"c","outc`, 1],
    ['cut off after its last line', '', 0],
    ['filled with zeros by a power cut', '\0'.repeat(100), 1],
    [
      'with a line that is no settlement',
      '{"send":{"id":"c","charges":[{"account":"cap","amount":-1}]}}\n',
      1,
    ],
    ['with a line of something else', '[1]\n{"answered":[1]}\n"text"\nnull\n', 4],
  ])('%s keeps all that is whole, and moves the rest aside', async (_, tail, damaged) => {
    const journal = journalPath();
    const whole = `${HEADER}\n${settleLine('a', 5)}\n${settleLine('b', 7)}\n`;
    writeFileSync(journal, `${whole}${tail}`);
    const bench = start(journal, await sinkHolding('a', 'b'));
    expect(await bench.guard.flush()).toEqual({ unsent: 0 });
    expect(await committed(bench)).toBe(12);
    const keptIn = `${journal}.damaged`;
    const events = bench.events.filter(({ type }) => type === 'journal-damaged');
    if (damaged === 0) {
      expect(events).toEqual([]);
    } else {
      expect(events).toEqual([{ type: 'journal-damaged', path: journal, lines: damaged, keptIn }]);
      expect(readFileSync(keptIn, 'utf8').trimEnd()).toBe(tail.trimEnd());
    }
    await bench.guard.close();
    expect(linesOf(journal)[0]).toBe(HEADER);
  });

  test('in the middle loses that line alone', async () => {
    const journal = journalPath();
    const lines = [HEADER, settleLine('a', 5), '{"send":{"id":"x"', settleLine('b', 7)];
    writeFileSync(journal, `${lines.join('\n')}\n`);
    const bench = start(journal, await sinkHolding('a', 'b', 'x'));
    await bench.guard.flush();
    expect(await committed(bench)).toBe(12);
    expect(linesOf(`${journal}.damaged`)).toEqual([lines[2]]);
    await bench.guard.close();
  });

  test('in the end of its last line alone loses nothing', async () => {
    const journal = journalPath();
    writeFileSync(journal, `${HEADER}\n${settleLine('a', 5)}`);
    const bench = start(journal, await sinkHolding('a'));
    await bench.guard.flush();
    expect(await committed(bench)).toBe(5);
    await bench.guard.close();
  });

  test('keeps what was damaged before, too', async () => {
    const journal = journalPath();
    for (const line of ['first', 'second']) {
      writeFileSync(journal, `${HEADER}\n${line}\n`);
      const { guard } = start(journal);
      await guard.flush();
      await guard.close();
    }
    expect(linesOf(`${journal}.damaged`)).toEqual(['first', 'second']);
  });
});

test.runIf(process.platform !== 'win32')(
  'a disk that fills up keeps no settlement from the sink, and leaves no half of a line',
  async () => {
    const journal = journalPath();
    const worker = fileURLToPath(new URL('support/full-disk-worker.ts', import.meta.url));
    const run = `ulimit -f 4; exec "${process.execPath}" --no-warnings "${worker}" "${journal}"`;
    const { stdout, signal } = spawnSync('sh', ['-c', run], { encoding: 'utf8' });
    expect(signal).toBe('SIGKILL');
    const { ids, failed, committed: charged } = JSON.parse(stdout);
    expect(charged).toBe(70);
    const { sent } = idsIn(journal);
    expect(sent.length).toBeGreaterThan(0);
    expect(failed.length).toBeGreaterThan(0);
    expect([...sent, ...failed]).toEqual(ids);
    const bench = start(journal, await sinkHolding(...sent));
    await bench.guard.flush();
    expect(bench.events.map(({ type }) => type)).not.toContain('journal-damaged');
    expect(await committed(bench)).toBe(7 * sent.length);
    await bench.guard.close();
  },
);

test('where half of a line cannot be taken back either, the next line stays whole', async () => {
  const journal = journalPath();
  const { guard, events } = start(journal);
  const calls = [await admit(guard, callOf(1)), await admit(guard, callOf(1))] as const;
  const { writeSync } = fs;
  const write = writeSync as (file: number, bytes: Uint8Array) => number;
  vi.spyOn(fs, 'writeSync').mockImplementationOnce(((file: number, bytes: Uint8Array) =>
    write(file, bytes.subarray(0, 20))) as typeof writeSync);
  vi.spyOn(fs, 'ftruncateSync').mockImplementationOnce(() => {
    throw new Error('read-only');
  });
  for (const call of calls) {
    expect(await call.settle({ outcome: 'not-sent' })).toMatchObject({ status: 'settled' });
  }
  vi.restoreAllMocks();
  expect(events.filter(({ type }) => type === 'journal-failed')).toMatchObject([
    { path: journal, id: calls[0].id, error: { message: expect.stringMatching(/disk is full/) } },
  ]);
  await guard.close();
  const [, half, whole, mark] = linesOf(journal);
  expect(half).toHaveLength(20);
  expect(JSON.parse(whole ?? '')).toMatchObject({ send: { id: calls[1].id } });
  expect(JSON.parse(mark ?? '')).toEqual({ answered: [calls[1].id] });
});

test('where half of a line stays behind, no later write that fails takes whole lines away', async () => {
  const journal = journalPath();
  const { guard } = start(journal);
  const calls: SpendCall[] = [];
  for (let made = 0; made < 3; made += 1) calls.push(await admit(guard, callOf(1)));
  const { writeSync } = fs;
  const write = writeSync as (file: number, bytes: Uint8Array) => number;
  const half = ((file: number, bytes: Uint8Array) =>
    write(file, bytes.subarray(0, bytes.length / 2))) as typeof writeSync;
  const whole = write as typeof writeSync;
  vi.spyOn(fs, 'writeSync')
    .mockImplementationOnce(half)
    .mockImplementationOnce(whole)
    .mockImplementationOnce(half);
  vi.spyOn(fs, 'ftruncateSync').mockImplementationOnce(() => {
    throw new Error('read-only');
  });
  for (const call of calls) await call.settle({ outcome: 'not-sent' });
  vi.restoreAllMocks();
  const [, , second, third] = linesOf(journal);
  expect(JSON.parse(second ?? '')).toMatchObject({ send: { id: calls[1]?.id } });
  expect(third).toMatch(new RegExp(`^{"send":{"id":"${calls[2]?.id}"`));
  await guard.close();
});

describe('a path that cannot be a journal', () => {
  const content = 'something of somebody else\n';

  test.each([
    ['a folder', (path: string) => mkdirSync(path), /is no file/],
    ['another file', (path: string) => writeFileSync(path, content), /something else.*left alone/],
    [
      'a journal of a later version',
      (path: string) => writeFileSync(path, '{"hardcap":"journal","version":2}\n{"new":1}\n'),
      /has version 2, and this hardcap reads version 1/,
    ],
    [
      'a file whose place cannot be written',
      (path: string) => mkdirSync(`${path}.new`),
      /cannot be used: EISDIR/,
    ],
  ])('%s: no call passes, and nothing is touched', async (_, make, message) => {
    const journal = journalPath();
    make(journal);
    const read = () => (existsSync(journal) ? readOrFolder(journal) : 'none');
    const before = read();
    const { guard } = start(journal);
    for (const asked of [guard.reserve(callOf(1)), guard.reserve(callOf(1)), guard.flush()]) {
      await expect(asked).rejects.toMatchObject({
        code: 'CONFIG_INVALID',
        message: expect.stringMatching(message),
      });
    }
    await guard.close();
    expect(read()).toBe(before);
    expect(existsSync(`${journal}.lock`)).toBe(false);
  });

  test.each([
    ['in a folder that is not there', 'no/such/folder', /ENOENT.*Make its folder first/],
    ['below a file', 'file/journal', /ENOTDIR.*name a file in a folder/],
  ])('%s', async (_, relative, message) => {
    const folder = dirname(journalPath());
    writeFileSync(join(folder, 'file'), '');
    const { guard } = start(join(folder, relative));
    await expect(guard.reserve(callOf(1))).rejects.toThrow(message);
    await guard.close();
  });

  test('a device', async () => {
    const { guard } = start('/dev/null');
    await expect(guard.flush()).rejects.toThrow(/is no file/);
    await guard.close();
  });

  test.each(['', 7, null])('%j is no path', (journal) => {
    expect(() => start(journal as string)).toThrow(/journal: write the path of a file/);
  });
});

function readOrFolder(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return 'a folder';
  }
}
