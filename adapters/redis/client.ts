import { Cluster, Redis, type RedisOptions } from 'ioredis';

export type RedisClient = Redis | Cluster;

const LONGEST_BACKOFF_MS = 2000;

export const backoffMs = (times: number): number => Math.min(100 * times, LONGEST_BACKOFF_MS);

/**
 * The link gives up on a command long before these limits: they clean up commands that would never be answered, and
 * drop a connection that went silent. A command whose result is unknown is never sent again.
 */
const limits = (deadlineMs: number) =>
  ({
    connectTimeout: 2000,
    commandTimeout: 3 * deadlineMs,
    socketTimeout: 6 * deadlineMs,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
  }) satisfies RedisOptions;

export const connectOne = (url: string, deadlineMs: number): Redis =>
  new Redis(url, {
    ...limits(deadlineMs),
    enableOfflineQueue: false,
    retryStrategy: backoffMs,
    // After a fail-over, the old connection may lead to a replica although the address now leads to the new master.
    reconnectOnError: ({ message }) => message.startsWith('READONLY '),
  });

/** Credentials and TLS of the first URL apply to all nodes, including those that the cluster names later. */
export function connectCluster(urls: readonly string[], deadlineMs: number): Cluster {
  const { username, password, protocol } = new URL(urls[0] ?? '');
  const login = {
    ...(username !== '' && { username: decodeURIComponent(username) }),
    ...(password !== '' && { password: decodeURIComponent(password) }),
    ...(protocol === 'rediss:' && { tls: {} }),
  };
  return new Cluster([...urls], {
    // A cluster takes no command for many keys (`batched`): the commands of a turn are written together, by node.
    enableAutoPipelining: true,
    enableOfflineQueue: false,
    redisOptions: { ...limits(deadlineMs), ...login },
    clusterRetryStrategy: backoffMs,
    slotsRefreshInterval: 5000,
    maxRedirections: 4,
    // A certificate is issued for host names, so they are not resolved to addresses first.
    ...(protocol === 'rediss:' && { dnsLookup: (address, done) => done(null, address) }),
  });
}

/** Asks the server whether it belongs to a cluster, since a single URL may lead to one. */
export const isOfCluster = async (client: RedisClient): Promise<boolean> =>
  (await client.info('cluster')).includes('cluster_enabled:1');

/** Enough keys that every master of a cluster has some of them. */
const PROBE_KEYS = Array.from({ length: 32 }, (_, n) => `perch:probe:${n}`);

/** Resolves when writes are accepted, whichever master they go to. */
export async function probe(client: RedisClient): Promise<void> {
  await Promise.all(PROBE_KEYS.map((key) => client.set(key, '', 'PX', 10_000)));
}
