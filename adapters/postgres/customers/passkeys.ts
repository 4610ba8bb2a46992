import type { PasskeyRecord, PasskeyStore, StoredPasskey } from '../../../src/ports/passkeys.js';
import { recordForPerson } from '../accounts/audit.js';
import type { Sql } from '../sql.js';

/** Passkeys in Postgres. */
export const createPasskeyStore = (sql: Sql): PasskeyStore => ({
  add: ({ personId, credentialId, publicKey, counter, transports, name }, most, by) =>
    sql.begin(async (tx) => {
      // One at a time, so that each counts those before it.
      await tx`select from people where person_id = ${personId} for no key update`;
      const [has] = await tx<{ count: number }[]>`
        select count(*) as count from passkeys where person_id = ${personId}`;
      if ((has?.count ?? 0) >= most) return 'full';
      const added = await tx`
        insert into passkeys (person_id, credential_id, public_key, counter, transports, name)
        values (${personId}, ${credentialId}, ${Buffer.from(publicKey)}, ${counter}, ${[...transports]}::text[], ${name})
        on conflict (credential_id) do nothing`;
      if (added.count === 0) return 'known';
      await recordForPerson(tx, personId, by, 'passkey.added', { name });
      return 'added';
    }),

  async find(credentialId) {
    const [row] = await sql<StoredPasskey[]>`
      select person_id as "personId", credential_id as "credentialId", public_key as "publicKey", counter
      from passkeys where credential_id = ${credentialId}`;
    return row;
  },

  async used(credentialId, counter, at) {
    const updated = await sql`
      update passkeys set counter = ${counter}, used_at = ${new Date(at)}
      where credential_id = ${credentialId} and (counter < ${counter} or (counter = 0 and ${counter} = 0))`;
    return updated.count > 0;
  },

  list: (personId) => list(sql, personId),

  remove: (personId, credentialId, by) =>
    sql.begin(async (tx) => {
      const [removed] = await tx<{ name: string }[]>`
        delete from passkeys where person_id = ${personId} and credential_id = ${credentialId} returning name`;
      if (removed) await recordForPerson(tx, personId, by, 'passkey.removed', { name: removed.name });
    }),
});

async function list(sql: Sql, personId: string): Promise<PasskeyRecord[]> {
  const rows = await sql<(Omit<PasskeyRecord, 'createdAt' | 'usedAt'> & { createdAt: Date; usedAt: Date | null })[]>`
    select credential_id as "credentialId", name, transports, created_at as "createdAt", used_at as "usedAt"
    from passkeys where person_id = ${personId} order by created_at, credential_id`;
  return rows.map(({ createdAt, usedAt, ...row }) => ({
    ...row,
    createdAt: createdAt.toISOString(),
    usedAt: usedAt?.toISOString() ?? null,
  }));
}
