import type { IncomingMessage } from 'node:http';
import { isJsonObject, type JsonObject } from './json-object.ts';
import { openaiChat } from './protocols/openai-chat.ts';
import type { Protocol, Refusal } from './protocols/protocol.ts';
import { PROTOCOLS } from './protocols/protocols.ts';
import type { WireRequest } from './wire-request.ts';

export interface ReadRequest {
  readonly request: WireRequest;
  /** OpenAI's where no protocol answers the path. */
  readonly protocol: Protocol;
  /** What the real provider would not accept. */
  readonly refusal: Refusal | null;
}

/** null where the client went away before it had sent all of it. */
export async function readRequest(message: IncomingMessage): Promise<ReadRequest | null> {
  const text = await textOf(message).catch(() => null);
  if (text === null) return null;
  const method = message.method ?? 'GET';
  const path = message.url ?? '/';
  const { pathname } = new URL(path, 'http://wire');
  const body = parse(text);
  const found = PROTOCOLS.find((protocol) => method === 'POST' && protocol.answers(pathname));
  const protocol = found ?? openaiChat;
  const request: WireRequest = {
    protocol: found?.name ?? 'unknown',
    method,
    path,
    headers: message.headers,
    body: body ?? {},
    ...protocol.addressee(pathname, body ?? {}),
  };
  const notFound = { status: 404, message: `Invalid URL (${method} ${pathname})` };
  const notJson = { status: 400, message: 'We could not parse the JSON body of your request.' };
  const refusal = body === null ? notJson : protocol.refusal(request);
  return { request, protocol, refusal: found === undefined ? notFound : refusal };
}

async function textOf(message: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of message) pieces.push(piece);
  return Buffer.concat(pieces).toString('utf8');
}

function parse(text: string): JsonObject | null {
  try {
    const body: unknown = JSON.parse(text);
    return isJsonObject(body) ? body : null;
  } catch {
    return null;
  }
}
