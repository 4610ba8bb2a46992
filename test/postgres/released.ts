import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { connect } from '../../adapters/postgres/sql.js';
import type { FreshDatabase } from '../kit/postgres/database.js';

const FOLDER = new URL('../kit/fixtures/0.3.0/', import.meta.url);
const unpacked = (name: string): string => gunzipSync(readFileSync(new URL(name, FOLDER))).toString();

interface Page {
  readonly data: readonly Record<string, unknown>[];
}

interface RecordedAccount {
  readonly name: string;
  readonly accountId: string;
  readonly walletId: string;
  readonly key: string;
  /** The account's other keys that still worked. */
  readonly otherKeys: readonly string[];
  /** Bodies without request ids: of `/v1/me`, of usage by day, endpoint and key, and of each receipt. */
  readonly me: { readonly balance: number };
  readonly usage: Page;
  readonly receipts: readonly { readonly data: { readonly request_id: string } }[];
}

/** What 0.3.0 said of the database that it left behind. */
export interface RecordedState {
  /** The value of PERCH_SECRET. */
  readonly secret: string;
  readonly accounts: readonly RecordedAccount[];
  readonly frozen: readonly (Pick<RecordedAccount, 'accountId' | 'walletId' | 'key'> & {
    readonly shown: { readonly balance: number };
  })[];
  readonly revoked: string;
  readonly oauth: { readonly clientId: string; readonly refreshToken: string };
  /** Every request that was charged. */
  readonly charges: readonly { readonly id: string; readonly charged: number }[];
  readonly cursor: { readonly path: string; readonly cursor: string };
  /** `data` of reads, by path. */
  readonly corpus: Readonly<Record<string, unknown>>;
}

export const recordedState = (): RecordedState => JSON.parse(unpacked('told.json.gz'));

/** Replaces a fresh database with that of 0.3.0 (test/kit/fixtures/0.3.0/README.md). */
export async function loadReleased({ sql, target }: FreshDatabase): Promise<void> {
  await sql`drop schema public cascade`;
  await sql`create schema public`;
  // Loaded on a separate connection, because a dump changes settings of its connection.
  const own = connect(target, { max: 1 });
  await own.unsafe(unpacked('database.sql.gz')).finally(() => own.end());
  // Keeps live grants and tokens live, however old the dump is.
  await sql`update oauth_grants set created_at = now()`;
  await sql`update oauth_refresh_tokens set expires_at = now() + interval '1 day' where used_at is null`;
}
