import { randomBytes } from 'node:crypto';
import { migrate } from '../../../adapters/postgres/migrate.js';
import { connect, type Target } from '../../../adapters/postgres/sql.js';
import { databaseOf } from '../global-setup.js';
import type { FreshDatabase } from './database.js';

/** Locales in the form that `create database` takes. Not every server has all of them. */
export const LOCALES: Readonly<Record<string, string>> = {
  C: "locale 'C'",
  'C.UTF-8': "locale 'C.UTF-8'",
  'en_US.UTF-8': "locale 'en_US.UTF-8'",
  'C.UTF-8, built in': "locale 'C' locale_provider builtin builtin_locale 'C.UTF-8'",
  'en-US of ICU': "locale 'C' locale_provider icu icu_locale 'en-US'",
  'tr of ICU': "locale 'C' locale_provider icu icu_locale 'tr'",
};

/** A migrated, empty database with a locale, or null if the server lacks it. */
export async function localeDatabase(server: Target, locale: string): Promise<FreshDatabase | null> {
  const name = `perch_locale_${randomBytes(5).toString('hex')}`;
  const admin = connect(server, { max: 1 });
  const isThere = await admin
    .unsafe(`create database ${name} template template0 encoding 'UTF8' ${LOCALES[locale]}`)
    .then(() => true)
    .catch(isUnknownLocale);
  if (!isThere) {
    await admin.end();
    return null;
  }
  const target = databaseOf(server, name);
  const sql = connect(target, { max: 3 });
  await migrate(sql);
  return {
    sql,
    target,
    async drop() {
      await sql.end({ timeout: 1 });
      await admin.unsafe(`drop database ${name} with (force)`);
      await admin.end();
    },
  };
}

/** False if the server or its system lacks the locale, or is too old for its provider; throws any other error. */
function isUnknownLocale(error: unknown): false {
  const { code = '', message = '' } = error as { code?: string; message?: string };
  if (/^(?:22023|42809|0A000|42601)$/.test(code) && /locale|provider|ICU/i.test(message)) return false;
  throw error;
}
