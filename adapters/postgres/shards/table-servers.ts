/**
 * Where the rows of a table are once Citus distributes the database over several servers:
 * - `account`: on the server of their account, together with everything of it that debits read and write;
 * - `everywhere`: a copy on each server, so that other tables can refer to it and join it. Small, and seldom written;
 * - `coordinator`: only there, as in a database that is not distributed.
 */
export type TablePlace = 'account' | 'everywhere' | 'coordinator';

const AT: Readonly<Record<TablePlace, readonly string[]>> = {
  // In the order in which they can be distributed: a table after those that it refers to.
  account: [
    ...['wallets', 'spend_caps', 'keys', 'debits', 'statement_entries'],
    ...['usage_hours', 'usage_days', 'operation_names', 'audit_log'],
  ],
  everywhere: ['accounts', 'key_directory'],
  coordinator: [
    // People sign in, buy and allow clients rarely.
    ...['people', 'members', 'invitations', 'one_time_tokens', 'sessions', 'passkeys', 'starting_credits'],
    ...['oauth_clients', 'oauth_grants', 'oauth_refresh_tokens'],
    ...['sales', 'sale_disputes', 'payment_events', 'balance_notices', 'alerts'],
    // Queues: processes take rows of all accounts from them, and skip locked ones.
    ...['deliveries', 'watches', 'watch_holders'],
    // Sums and logs that processes write in batches, a few rows a minute.
    ...['request_log', 'read_costs', 'traffic_hours', 'limits_met', 'status_days', 'status_minutes', 'sum_batches'],
    // Only `perch ledger` reads them.
    ...['checked_months', 'checked_debits', 'checked_usage', 'ledger_archives'],
    // No statement joins them with the others.
    ...['corpus_users', 'corpus_tweets', 'corpus_follows', 'invented_users', 'invented_tweets', 'invented_follows'],
    ...['search_index', 'missing_indexes', 'unfinished_imports', 'network_checks', 'installation', 'schema_version'],
  ],
};

/** The place of every table of the schema. */
export const PLACES: ReadonlyMap<string, TablePlace> = new Map(
  (Object.keys(AT) as TablePlace[]).flatMap((place) => AT[place].map((table) => [table, place] as const)),
);

export const tablesAt = (place: TablePlace): readonly string[] => AT[place];

/** The table whose rows decide where the rows of the others are. */
export const FIRST = 'wallets';

/**
 * Functions that statements call on the server of an account. A function with a parameter here, which is the account,
 * runs there as a whole.
 */
export const FUNCTIONS: Readonly<Record<string, string | null>> = {
  period_began: null,
  first_id_at: null,
  receipt_lines: null,
  post_plain_debits: 'shard_account',
  post_any_debits: 'shard_account',
  find_posted: 'shard_account',
  grant_credits: 'account',
  claim_names: 'account',
};
