import type { Call } from './answer.ts';
import type { Refusal } from './protocols/protocol.ts';

/** Answers with the provider's error; nothing was generated. */
export function refuse(call: Call, refusal: Refusal): void {
  const { exchange, response, protocol, generation } = call;
  const { errorBody, headers } = generation.reply;
  exchange.status = refusal.status;
  response.writeHead(refusal.status, {
    'content-type': protocol.contentTypes.whole,
    ...protocol.headers(generation.suffix),
    ...headers,
  });
  response.end(
    errorBody === undefined
      ? protocol.errorBody(refusal, generation.suffix)
      : JSON.stringify(errorBody),
  );
}
