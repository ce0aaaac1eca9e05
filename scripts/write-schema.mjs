// Writes the JSON Schema of configuration files: `npm run schema`. A test says when it is out of date.
import { mkdirSync, writeFileSync } from 'node:fs';
import { configJsonSchema } from '../packages/core/src/config-json-schema.ts';

const folder = new URL('../packages/core/schema/', import.meta.url);
mkdirSync(folder, { recursive: true });
const text = `${JSON.stringify(configJsonSchema(), null, 2)}\n`;
writeFileSync(new URL('hardcap.schema.json', folder), text);
