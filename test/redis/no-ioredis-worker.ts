// A process that has a URL, and no `ioredis` installed: `node no-ioredis-worker.ts`.
import { registerHooks } from 'node:module';
import { ConfigError } from '@hardcap/core';
import { RedisUsageSink } from '@hardcap/redis';

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === 'ioredis') throw new Error("Cannot find package 'ioredis'");
    return next(specifier, context);
  },
});

const sink = new RedisUsageSink('redis://localhost:6379');
const failures: string[] = [];
for (let call = 0; call < 2; call += 1) {
  await sink.read([]).catch((error: unknown) => {
    failures.push(`${ConfigError.isInstance(error)} ${error}`);
  });
}
await sink.close();
process.send?.(failures, () => process.disconnect());
