// Opens the embedded database in the given folder and inserts rows for ever, two to a transaction, until it is killed or its parent is gone.
import { openDatabase } from '../../dist/store/db/openDatabase.js';

process.once('disconnect', () => process.exit(1));
const [folder = ''] = process.argv.slice(2);
const { pool } = await openDatabase({ databaseUrl: undefined, dataDir: folder, onError: () => {} });
await pool.query('create table if not exists pairs (number bigint not null)');
for (let number = 1; ; number++) {
  const client = await pool.connect();
  await client.query('begin');
  await client.query('insert into pairs values ($1)', [number]);
  await client.query('insert into pairs values ($1)', [number]);
  await client.query('commit');
  client.release();
  process.send?.({ committed: number, processId: process.pid });
}
