import { DatabaseSync } from 'node:sqlite';

/** Holds the lock of a store until it is told to let go, or for so many ms: `<file> [ms]`. */
const [, , file = '', ms] = process.argv;
const database = new DatabaseSync(file, { timeout: 5_000 });
database.exec('BEGIN IMMEDIATE');

function letGo(): void {
  database.exec('COMMIT');
  database.close();
  process.disconnect();
}

process.send?.('locked');
if (ms === undefined) process.once('message', letGo);
else setTimeout(letGo, Number(ms));
