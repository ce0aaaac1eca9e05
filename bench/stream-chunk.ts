import { spendBudget } from '@hardcap/ai-sdk';
import { createSpendGuard } from '@hardcap/core';
import type { Gate } from './gate.ts';
import { type Contender, quietNanoseconds } from './rounds.ts';

interface Part {
  readonly type: string;
}

const DELTA = { type: 'text-delta', id: 't', delta: ' word' };
const FINISH = {
  type: 'finish',
  finishReason: { unified: 'stop', raw: 'stop' },
  usage: {
    inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 10, text: 10, reasoning: 0 },
  },
};

/** A provider's stream of so many chunks, as fast as it is read. */
function source(count: number): ReadableStream<Part> {
  let sent = 0;
  return new ReadableStream<Part>({
    pull(controller) {
      sent += 1;
      controller.enqueue(sent > count ? FINISH : DELTA);
      if (sent > count) controller.close();
    },
  });
}

async function readAll(stream: ReadableStream<Part>): Promise<void> {
  const reader = stream.getReader();
  while (!(await reader.read()).done);
}

function contenders(): Contender[] {
  const guard = createSpendGuard({
    budgets: [{ name: 'tpm', per: [], limit: { tokens: 9e15 }, window: 'total' }],
  });
  const middleware = spendBudget(guard);
  const never = (): Promise<never> => Promise.reject(new Error('The benchmark only streams.'));
  const model = {
    provider: 'bench',
    modelId: 'm',
    specificationVersion: 'v4',
    doGenerate: never,
    doStream: never,
  };
  const params = { prompt: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }] };
  return [
    { name: 'bare', run: (count) => readAll(source(count)) },
    {
      name: 'transform',
      run: (count) => readAll(source(count).pipeThrough(new TransformStream())),
    },
    {
      name: 'hardcap',
      async run(count) {
        const doStream = async (): Promise<{ stream: ReadableStream<Part> }> => {
          return { stream: source(count) };
        };
        const options = { doGenerate: never, doStream, params, model };
        const { stream } = await middleware.wrapStream(options);
        await readAll(stream);
      },
    },
  ];
}

// Node 22 is slower at streams of its own; both figures are what a chunk may cost at most.
const NANOSECONDS_PER_CHUNK = process.versions.node.startsWith('22.') ? 600 : 200;

/** Metering one chunk, over the bare stream. */
export async function streamChunkGates(): Promise<Gate[]> {
  const times = await quietNanoseconds(contenders(), { rounds: 15, count: 20_000 });
  const bare = times.get('bare') as number;
  const own = (times.get('hardcap') as number) - bare;
  const transform = (times.get('transform') as number) - bare;
  const note = `bare stream ${bare.toFixed(0)} ns, TransformStream +${transform.toFixed(0)} ns`;
  return [
    {
      what: 'stream: metering a chunk',
      measured: own,
      atMost: NANOSECONDS_PER_CHUNK,
      unit: 'ns',
      note,
    },
    {
      what: 'stream: metering a chunk / a TransformStream',
      measured: own / transform,
      atMost: 0.5,
      unit: 'x',
      note,
    },
  ];
}
