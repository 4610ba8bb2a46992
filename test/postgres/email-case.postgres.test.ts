/** Mail addresses are the same in upper and lower case, whatever the lower case of I is in the database's locale. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { listAccounts } from '../../adapters/postgres/accounts/account-list.js';
import { createAccounts } from '../../adapters/postgres/accounts/accounts.js';
import { createEmailAccounts } from '../../adapters/postgres/accounts/email-accounts.js';
import { createMemberStore } from '../../adapters/postgres/accounts/members.js';
import { OPERATOR } from '../../src/domain/audit.js';
import type { FreshDatabase } from '../kit/postgres/database.js';
import { LOCALES, localeDatabase } from '../kit/postgres/locale-database.js';

describe.each(Object.keys(LOCALES))('in a database with the locale %s', (locale) => {
  let database: FreshDatabase | null;
  beforeAll(async () => {
    database = await localeDatabase(inject('postgres').server, locale);
  });
  afterAll(() => database?.drop());

  it('finds people, invitations and mailboxes in any case', async ({ skip }) => {
    if (database === null) return skip('the server does not have this locale');
    const { sql } = database;
    const [accounts, members, people] = [createAccounts(sql), createMemberStore(sql), createEmailAccounts(sql)];
    const openAs = async (email: string) =>
      (await accounts.create({ name: email, email, paidUsd: 0, qpsOverride: null })).accountId;

    const ada = await openAs('INFO@Example.org');
    const never = () => Promise.reject(new Error('has an account'));
    for (const email of ['info@example.org', 'Info@EXAMPLE.ORG']) expect(await people.personOf(email, never)).toBe(ada);
    const second = await openAs('info@example.org');
    expect(await people.ownerOf(second)).toBe(ada);

    const iris = await openAs('iris@example.org');
    const hash = randomBytes(32);
    const at = new Date();
    const invitation = {
      accountId: ada,
      hash,
      at,
      expiresAt: new Date(at.getTime() + 60_000),
      role: 'reader',
    } as const;
    await expect(members.invite({ ...invitation, email: 'info@example.org' }, 10, OPERATOR)).rejects.toMatchObject({
      code: 'bad_request',
    });
    await members.invite({ ...invitation, hash: randomBytes(32), email: 'iris@example.org' }, 10, OPERATOR);
    await members.invite({ ...invitation, email: 'IRIS@example.org' }, 10, OPERATOR);
    expect(await members.invitations(ada)).toMatchObject([{ email: 'IRIS@example.org' }]);
    expect(await members.accept(hash, iris, 10, at, OPERATOR)).toBe(true);

    const found = await listAccounts(sql, { matching: 'info', limit: 10 });
    expect(found.map(({ accountId }) => accountId).toSorted()).toEqual([ada, second].toSorted());
    expect(await sql`select mailbox_of('I.D+x@GMAIL.com') as mailbox`).toEqual([{ mailbox: 'id@gmail.com' }]);
  });
});
