import type { Sql } from '../sql.js';

/** The most names that an account may use on one UTC day (M30). */
const MOST_NAMES = 100;

/** One atomic upsert: a name reported as kept is kept, whichever nodes claim at the same time. */
export async function claimNames(
  sql: Sql,
  accountId: string,
  day: string,
  names: readonly string[],
): Promise<string[]> {
  const wanted = [...new Set(names)].slice(0, MOST_NAMES);
  const [row] = await sql<{ names: string[] }[]>`
    insert into operation_names as n (account_id, day, names) values (${accountId}, ${day}::date, ${wanted}::text[])
    on conflict (account_id, day) do update set names = n.names || array(
      select name from unnest(excluded.names) with ordinality as w(name, nth) where name <> all(n.names)
      order by nth limit greatest(0, ${MOST_NAMES} - cardinality(n.names))
    )
    returning names`;
  return row?.names ?? [];
}
