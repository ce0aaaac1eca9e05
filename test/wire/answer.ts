import type { ServerResponse } from 'node:http';
import type { Generation } from './generation.ts';
import type { LiveExchange } from './live-exchange.ts';
import type { Protocol, StreamScript } from './protocols/protocol.ts';
import { writeOut } from './write-out.ts';

const GARBAGE = '{"garbage';

export interface Call {
  readonly exchange: LiveExchange;
  readonly response: ServerResponse;
  readonly protocol: Protocol;
  readonly generation: Generation;
}

/** Plays the generation to the client, with all that the reply wants to go wrong on the way. */
export async function answer(call: Call): Promise<void> {
  const { exchange, generation } = call;
  const { cutBeforeHeaders, garbage } = generation.reply;
  const script = call.protocol.stream(generation);
  if (exchange.streaming && !cutBeforeHeaders && !garbage) return answerStream(call, script);

  await generateUnseen(exchange, script);
  if (exchange.isClosed) return;
  if (cutBeforeHeaders) return cut(call);
  if (exchange.streaming) {
    begin(call, 'stream');
    call.response.end(`data: ${GARBAGE}\n\n`);
    return;
  }
  await answerWhole(call, garbage ? GARBAGE : call.protocol.whole(generation));
}

async function answerStream(call: Call, script: StreamScript): Promise<void> {
  const { exchange, response } = call;
  const { cutAfterChunks, errorAfterChunks, endWithoutFinish } = call.generation.reply;
  const lastChunk = cutAfterChunks ?? errorAfterChunks ?? Number.POSITIVE_INFINITY;
  begin(call, 'stream');
  // Gemini has nothing to say before its first chunk.
  response.flushHeaders();
  await writeOut(response, script.head());
  for (const chunk of script.chunks()) {
    if (exchange.chunksSent >= lastChunk) break;
    await exchange.pacer.turn();
    if (exchange.isClosed) return;
    exchange.generated(chunk);
    if (chunk.visible) exchange.chunksSent += 1;
    await writeOut(response, chunk.text);
    exchange.pacer.stepMade();
  }
  if (cutAfterChunks !== undefined) return cut(call);
  await exchange.pacer.turn();
  if (exchange.isClosed) return;
  if (errorAfterChunks !== undefined) response.end(script.error());
  else response.end(endWithoutFinish ? '' : script.tail());
}

/** Without a stream everything is generated before the first byte of the answer is sent. */
async function generateUnseen(exchange: LiveExchange, script: StreamScript): Promise<void> {
  for (const chunk of script.chunks()) {
    await exchange.pacer.turn();
    if (exchange.isClosed) return;
    exchange.generated(chunk);
    exchange.pacer.stepMade();
  }
  await exchange.pacer.turn();
}

async function answerWhole(call: Call, body: string): Promise<void> {
  const bytes = Buffer.from(body);
  begin(call, 'whole', { 'content-length': String(bytes.length) });
  if (call.generation.reply.cutAfterChunks === undefined) {
    call.response.end(bytes);
    return;
  }
  await writeOut(call.response, bytes.subarray(0, bytes.length / 2));
  cut(call);
}

function begin(call: Call, kind: 'whole' | 'stream', more: Record<string, string> = {}): void {
  const { exchange, response, protocol, generation } = call;
  exchange.status = generation.reply.status ?? 200;
  response.writeHead(exchange.status, {
    'content-type': protocol.contentTypes[kind],
    ...protocol.headers(generation.suffix),
    ...more,
    ...generation.reply.headers,
  });
}

function cut({ exchange, response }: Call): void {
  exchange.end('cut');
  response.destroy();
}
