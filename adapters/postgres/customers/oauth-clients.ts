import type { Client, ClientStore } from '../../../src/ports/grants.js';
import type { Sql } from '../sql.js';

/** Clients that registered themselves, in Postgres. */
export const createClientStore = (sql: Sql): ClientStore => ({
  async add({ clientId, name, uri, redirectUris }, at) {
    await sql`
      insert into oauth_clients (client_id, name, uri, redirect_uris, created_at)
      values (${clientId}, ${name}, ${uri}, ${[...redirectUris]}::text[], ${at})`;
  },
  async find(clientId) {
    const [row] = await sql<Client[]>`
      select client_id as "clientId", name, uri, redirect_uris as "redirectUris"
      from oauth_clients where client_id = ${clientId}`;
    return row;
  },
});
