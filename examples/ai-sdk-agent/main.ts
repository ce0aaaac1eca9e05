import { compareBooks } from './books.ts';
import { styled } from './call-table.ts';
import { cutStream } from './cut-stream.ts';
import { liveProvider, localProvider } from './provider.ts';
import { runawayAgent } from './runaway-agent.ts';
import { sharedCap } from './shared-cap.ts';

const live = process.argv.includes('--live');
if (live && !process.env['OPENAI_API_KEY']) {
  console.error('--live talks to OpenAI and spends up to $1.11: it needs OPENAI_API_KEY.');
  process.exit(1);
}
const provider = live ? liveProvider() : await localProvider();
console.log(
  styled('dim', live ? 'Talking to OpenAI.' : 'Talking to a local server that speaks OpenAI.'),
);
const agent = await runawayAgent(provider);
const stream = await cutStream(provider);
const agree = await compareBooks({ agent, stream }, provider.books);
const shared = await sharedCap(provider);
await provider.close();
if (!agree || !shared) {
  console.error(styled('red', 'The books do not agree.'));
  process.exitCode = 1;
}
