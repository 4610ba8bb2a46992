import { v7 } from 'uuid';
import type { Sql } from '../../../adapters/postgres/sql.js';
import { Positions } from '../../../src/live/positions.js';
import type { WatchId, WatchSettings } from '../../../src/ports/watches.js';

export interface NewWatch extends Partial<WatchSettings> {
  readonly accountId: string;
  readonly keyId: string;
  /** A `since_cursor` behind which it begins. */
  readonly since: string;
}

/** Adds a watch in the state after it was made. `secret` seals its positions. */
export async function addWatch(sql: Sql, secret: Uint8Array, watch: NewWatch): Promise<WatchId> {
  const { accountId, keyId, since } = watch;
  const settings = { kind: 'timeline', subject: 'seven', product: null, count: 20, dailyLimit: null, ...watch };
  const positions = new Positions(secret);
  const position = positions.encode([positions.begin(Date.now(), since)]);
  const watchId = v7();
  await sql`
    insert into watches (account_id, watch_id, key_id, kind, subject, subject_id, product, count, webhook_url, daily_thousandths,
      state, state_at, position, created_at)
    values (${accountId}, ${watchId}, ${keyId}, ${settings.kind}, ${settings.subject}, ${settings.subject}, ${settings.product},
      ${settings.count}, ${settings.webhookUrl ?? 'https://example.org/hook'}, ${settings.dailyLimit}, 'active', now(), ${position}, now())`;
  return { accountId, watchId };
}
