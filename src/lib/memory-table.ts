const MIB = 1024 * 1024;

/** One memory of a process, as documented for operators. */
export interface MemoryRow {
  readonly contents: string;
  /** Most bytes in one process, keys included, as the process counts them (`bytesOf`). */
  readonly limitBytes: number;
  /** The setting that changes the limit. */
  readonly setting?: string;
  readonly beyond: string;
}

const AGAIN = 'The least recently used entry is dropped, and read again when it is asked for.';

/**
 * Everything that a process keeps from one request to the next, each with its limit. This is the only such list: to
 * keep something new, add its row here and get its map from `Memories`. Keys that callers can choose are digests, or of
 * bounded length.
 */
export const MEMORIES = {
  cache: {
    contents:
      'Pages and objects read from the network, and an index of which page shows which object; with Redis, those used recently.',
    limitBytes: 256 * MIB,
    setting: 'PERCH_CACHE_MB',
    beyond: `${AGAIN} What nobody paid for is not in it.`,
  },
  unpaid: {
    contents: 'What costs its caller nothing: remembered 404s (M24) and the client documents of OAuth.',
    limitBytes: 16 * MIB,
    beyond: AGAIN,
  },
  documents: {
    contents: 'Checked and compiled GraphQL documents. The key is a digest of the text.',
    limitBytes: 64 * MIB,
    beyond: 'The least recently used entry is dropped, and checked again.',
  },
  priced_variables: {
    contents: 'Variables of operations with their defaults and price. The key is their text, or a digest of it.',
    limitBytes: 16 * MIB,
    beyond: 'The least recently used entry is dropped, and checked again.',
  },
  repeated_requests: {
    contents:
      'Parsed requests that were answered from `answers`. The key is the parts of the request that determine the response.',
    limitBytes: 16 * MIB,
    beyond: 'The least recently used entry is dropped, and the request is read and checked again.',
  },
  introspection: {
    contents: 'GraphQL documents that only ask about the schema, which need no key.',
    limitBytes: 8 * MIB,
    beyond: 'The least recently used entry is dropped, and checked again.',
  },
  introspection_answers: {
    contents: 'Responses to those documents.',
    limitBytes: 8 * MIB,
    beyond: 'The least recently used entry is dropped, and made again.',
  },
  answers: {
    contents:
      'Responses made of cached values only, as they are sent. The key is a digest of the operation and its variables.',
    limitBytes: 64 * MIB,
    beyond: 'The least recently used entry is dropped, and made again from the cache.',
  },
  gone: {
    contents: 'Names of deleted objects that a cached page may still show (M25).',
    limitBytes: 16 * MIB,
    beyond:
      'One account’s reads may fill a tenth of it, and another tenth with names that may or may not be cached. Beyond that, the account’s oldest names are dropped; when the table is full, those of the second kind go first, then those of the account with the most.',
  },
  withdrawn: {
    contents: 'When names were found to be gone, for reads that were under way then. Without Redis.',
    limitBytes: 2 * MIB,
    beyond:
      'The one found gone longest ago is dropped: a read that began before may show it again until it is read again.',
  },
  tombstones: {
    contents:
      'Deletions and reappearances that other nodes have to know: those not sent yet while Redis is away; without Redis, the latest.',
    limitBytes: 8 * MIB,
    beyond: 'The oldest of the account that has most are dropped.',
  },
  missed_keys: {
    contents: 'Keys of the cache that changed while Redis was away.',
    limitBytes: 8 * MIB,
    beyond: 'The oldest are dropped: other nodes may then be given the older value until it expires.',
  },
  api_keys: {
    contents: 'API keys by their hash, as the database knew them seconds ago.',
    limitBytes: 16 * MIB,
    beyond: AGAIN,
  },
  key_hashes: {
    contents: 'The hashes of API keys used recently. The key is a digest of the API key.',
    limitBytes: 8 * MIB,
    beyond: 'The least recently used entry is dropped, and computed again.',
  },
  failed_keys: {
    contents:
      'Addresses that sent too many invalid keys, or events of payments without a valid signature, in equal parts.',
    limitBytes: 2 * MIB,
    beyond: 'The address seen longest ago is dropped, and may send 60 more before it is limited again.',
  },
  wallets: {
    contents: 'Balances of accounts that spent recently, and what their calls in flight may spend.',
    limitBytes: 16 * MIB,
    beyond: 'The least recently used entry is dropped, and read from the ledger, which has the last word.',
  },
  operation_names: {
    contents: 'Names that callers gave their operations today, as the ledger keeps them (M30).',
    limitBytes: 16 * MIB,
    beyond: AGAIN,
  },
  rates: {
    contents: 'Token buckets of rate limits. Without Redis, or while it is away.',
    limitBytes: 16 * MIB,
    beyond: 'The one idle longest is forgotten, and is full again.',
  },
  processor: {
    contents: 'How much of the processor each account, and each address without a key, has used recently.',
    limitBytes: 4 * MIB,
    beyond: 'The one idle longest is forgotten, and has all of its time again.',
  },
  paces: {
    contents: 'When each session of the network may send next.',
    limitBytes: 2 * MIB,
    beyond: 'The one idle longest is forgotten, and an idle one has nothing to remember.',
  },
  checkouts: {
    contents: 'When an open checkout was last looked at.',
    limitBytes: 2 * MIB,
    beyond: 'The least recently used entry is dropped, and looked at again.',
  },
  births: {
    contents: 'Creation times of accounts without a profile record (Bluesky).',
    limitBytes: 4 * MIB,
    beyond: AGAIN,
  },
  list_owners: {
    contents: 'Whether accounts read within the last minute hide their lists (Mastodon).',
    limitBytes: 1 * MIB,
    beyond: AGAIN,
  },
  test_mode: {
    contents:
      'All of test mode, in equal parts: pages and objects, what changed while Redis was away, answers, variables, names of what is gone and when they went, and which accounts were refilled today. Nothing of it is ever in the memories above.',
    limitBytes: 48 * MIB,
    beyond: AGAIN,
  },
} as const satisfies Record<string, MemoryRow>;

export type MemoryName = keyof typeof MEMORIES;

/**
 * State that lives only while a request waits for it, and that is bounded by the limits of those requests. It has no
 * metric of its own, because it belongs to the requests in flight.
 */
const IN_FLIGHT = {
  'reads that are shared':
    'One entry for each read under way, and one for each request that waits for it: requests in progress.',
  'the upstream queue':
    'One entry per read that waits for a turn: requests in progress, and the longest wait of a family.',
  'keys that are looked up':
    'One entry per key that is read from the database, in queries of at most 100: requests in progress, and one refresh of each key used recently.',
  'debits on their way': 'One entry per answer that is being paid: requests in progress.',
  'loaders of one operation': 'Every object of the operation once, until it is answered: the size of the operation.',
  'mails on their way':
    'At most 100 links, invitations included. Notices wait in the database; 10,000 accounts are looked after between two runs.',
  'sockets and requests': 'Connections, and requests in progress (PERCH_MAX_IN_FLIGHT).',
  'commands to Redis':
    'Those of requests in progress: nothing is queued while Redis is away, and each ends within 0.9 s.',
  'prepared statements': 'Our own texts, a few hundred per connection to the database: no caller’s text is in them.',
  'time series of metrics': 'Labels are of our own lists: interfaces, persisted operations, statuses, codes, units.',
  'content types': 'Fastify remembers 100 content-type headers of at most 16 KB.',
} as const satisfies Record<string, string>;

/** The rows of both tables, for the page of limits. */
export function memoryRows(): { name: string; contents: string; limit: string; setting: string; beyond: string }[] {
  const kept = Object.entries<MemoryRow>(MEMORIES).map(([name, { contents, limitBytes, setting = '', beyond }]) => {
    return { name, contents, limit: `${limitBytes / MIB} MiB`, setting, beyond };
  });
  const flying = Object.entries(IN_FLIGHT).map(([name, limit]) => {
    return { name, contents: 'Only while something waits for it.', limit, setting: '', beyond: '' };
  });
  return [...kept, ...flying];
}
