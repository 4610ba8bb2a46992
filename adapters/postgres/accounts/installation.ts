import type { Sql } from '../sql.js';

/**
 * Whether the database belongs to this pepper. The first caller decides; of several at once one does, and the others
 * wait for its commit.
 */
export async function isOfPepper(sql: Sql, fingerprint: Buffer): Promise<boolean> {
  await sql`insert into installation (pepper_fingerprint) values (${fingerprint}) on conflict do nothing`;
  const [row] = await sql`select pepper_fingerprint = ${fingerprint} as same from installation`;
  return row?.same === true;
}
