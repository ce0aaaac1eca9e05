import { webhook } from '../../src/webhook.ts';

/** Hears of a threshold and comes to its end: `node webhook-worker.ts <url> [flush|late]`. Prints failures. */
const [, , url = '', way] = process.argv;
const hook = webhook({
  url,
  secret: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
  onFailure: ({ reason, attempts, event }) => {
    console.log(JSON.stringify({ reason, attempts, type: event.type }));
  },
  filter: () => true,
});
hook({ type: 'store-reset', at: 1 });
hook({ type: 'store-reset', at: 2 });
if (way === 'late') process.on('exit', () => hook({ type: 'store-reset', at: 3 }));
if (way === 'flush') {
  await hook.flush();
  console.log('{"flushed":true}');
}
