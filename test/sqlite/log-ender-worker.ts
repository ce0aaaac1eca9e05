import { DatabaseSync } from 'node:sqlite';

/** Tries to end the write-ahead log of a store, and says what came of it: `<file>`. */
const [, , file = ''] = process.argv;
const database = new DatabaseSync(file);
try {
  database.exec('PRAGMA journal_mode = DELETE');
  process.send?.('it was ended');
} catch (error) {
  process.send?.((error as Error).message);
}
process.disconnect();
