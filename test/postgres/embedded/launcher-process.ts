/** A process that opens the embedded server in the given folder, reports the result, and leaves when stdin ends. */
import { once } from 'node:events';
import { openEmbeddedPostgres } from '../../../adapters/postgres/embedded/launcher.js';
import { connect } from '../../../adapters/postgres/sql.js';

const server = await openEmbeddedPostgres({ home: process.argv[2] ?? '' });
const sql = connect(server.connection, { max: 1 });
const [row] = await sql`select 1 as one`;
await sql.end();
console.log(JSON.stringify({ started: server.started, one: row?.one }));
process.stdin.resume();
await once(process.stdin, 'end');
await server.stop();
