import type { FastifyBaseLogger } from 'fastify';
import { DEMO_HANDLE, KNOWN_HANDLES } from '../adapters/pages/kit/first-reads.js';
import { identityOf } from '../adapters/postgres/replica.js';
import type { Sql } from '../adapters/postgres/sql.js';
import type { Config } from '../src/config/config.js';
import { counted } from '../src/domain/figures.js';
import { VERSION } from '../src/domain/version.js';
import { signalWithTimeout } from '../src/lib/abort.js';
import { digestText } from '../src/lib/digest.js';
import { MINUTE_MS } from '../src/lib/durations.js';
import type { Memories } from '../src/lib/memories.js';
import { withTimeout } from '../src/lib/monotonic.js';
import type { StartPoll } from '../src/lib/poll.js';
import type { Clock } from '../src/ports/clock.js';
import type { CheckMemory, Network, NetworkReport, Push, ReadContext, SampleAccount } from '../src/ports/network.js';
import type { CallsLeft } from '../src/ports/rate-limiter.js';
import type { Lifecycle } from './lifecycle.js';

export interface NetworkSources {
  readonly config: Config;
  /** The corpus's database. Other networks do not use it. */
  readonly sql: () => Sql;
  readonly clock: Clock;
  /** Where an adapter's memory is counted. */
  readonly memories?: Memories;
  /** The calls left in the network's rate-limit buckets, shared with other processes. */
  readonly callsLeft?: CallsLeft | undefined;
}

/** All networks: each an adapter with its part of the configuration. Only the one in use is loaded. */
const NETWORKS: Readonly<Record<Config['network'], (sources: NetworkSources) => Promise<Network>>> = {
  corpus: async ({ sql }) => {
    const { createCorpusNetwork } = await import('../adapters/networks/corpus/network.js');
    return createCorpusNetwork(sql());
  },
  bluesky: async ({ config, clock, memories }) => {
    const { createBlueskyNetwork } = await import('../adapters/networks/bluesky/network.js');
    return createBlueskyNetwork({ ...config.networks.bluesky, userAgent: toUserAgent(config), clock, memories });
  },
  x: async ({ config, clock, callsLeft }) => {
    const { createXNetwork } = await import('../adapters/networks/x/network.js');
    return createXNetwork({ ...config.networks.x, userAgent: toUserAgent(config), clock, callsLeft });
  },
  mastodon: async ({ config, clock, memories }) => {
    const { createMastodonNetwork } = await import('../adapters/networks/mastodon/network.js');
    const { baseUrl, ...options } = config.networks.mastodon;
    const common = { userAgent: toUserAgent(config), clock, memories };
    return createMastodonNetwork({ ...options, ...common, baseUrl: baseUrl ?? '' });
  },
};

const DIGEST_LENGTH = 12;

/**
 * Identifies what is read, a network at an address. All processes that read the same have the same: a corpus is known
 * by its database, because there may be several ways to reach it.
 */
export async function sourceOf({ config, sql }: NetworkSources, given?: Network): Promise<string> {
  const { network, networks } = config;
  if (given !== undefined) return encodeURIComponent(given.name);
  const address = network === 'corpus' ? await identityOf(sql()) : (networks[network].baseUrl ?? '');
  return `${network}-${digestText(address).slice(0, DIGEST_LENGTH)}`;
}

/** The configured network, unless another is given. */
export const openNetwork = (lifecycle: Lifecycle, sources: NetworkSources, given?: Network): Promise<Network> =>
  lifecycle.open(
    'network',
    () => given ?? NETWORKS[sources.config.network](sources),
    (network) => network.close?.(),
  );

const SAMPLE_FOR_MS = 60_000;
const SAMPLE_WITHIN_MS = 2_000;
/** How long a failed lookup is not repeated. */
const SAMPLE_AGAIN_MS = 5_000;

/**
 * The account that samples on pages read; null while the network has no accounts. Looked up at most once a minute,
 * because an import may bring the first one; pages that are asked for meanwhile wait for it. If the lookup fails, the
 * last known account is kept, and it is repeated soon; if the network offers none, the known one is kept.
 */
export function createSample(network: Network, clock: Clock): () => Promise<SampleAccount | null> {
  const { sample } = network;
  let known: SampleAccount | null = { handle: KNOWN_HANDLES[network.name] ?? DEMO_HANDLE, tweetId: null };
  let againAtMs = Number.NEGATIVE_INFINITY;
  let looking: Promise<void> | undefined;
  const look = async (read: NonNullable<Network['sample']>): Promise<void> => {
    againAtMs = clock.now() + SAMPLE_AGAIN_MS;
    // A database that hangs does not even confirm that a query was cancelled.
    const found = await withTimeout(SAMPLE_WITHIN_MS, read({ signal: AbortSignal.timeout(SAMPLE_WITHIN_MS) })).catch(
      () => undefined,
    );
    looking = undefined;
    if (found === undefined) return;
    known = found;
    againAtMs = clock.now() + SAMPLE_FOR_MS;
  };
  return async () => {
    if (sample !== undefined && clock.now() >= againAtMs) looking ??= look(sample);
    await looking;
    return known;
  };
}

/** Logs one line for each call whose answer had objects that cannot be read. */
export function withOddObjectsLogged(network: Network, log: FastifyBaseLogger): Network {
  const logged = (context: ReadContext): ReadContext => ({
    ...context,
    onUnreadable(objects: number, problem: string) {
      log.warn(`The network sent ${counted(objects, 'object')} that cannot be read. ${problem}`);
      context.onUnreadable?.(objects, problem);
    },
  });
  return {
    ...network,
    users: (refs, context) => network.users(refs, logged(context)),
    tweets: (ids, context) => network.tweets(ids, logged(context)),
    page: (list, token, context, want) => network.page(list, token, logged(context), want),
  };
}

/** The network's announcements of new items, if it has any. Connects once a list is followed. */
export const openPush = (lifecycle: Lifecycle, network: Network, log: FastifyBaseLogger): Promise<Push | null> =>
  lifecycle.open(
    'announcements of the network',
    () =>
      network.push?.({
        onConnection(isConnected, reason) {
          if (isConnected) log.info('The network announces new items of lists that are followed.');
          else log.warn(`The network does not announce new items: ${reason}. Lists are read at the usual intervals.`);
        },
        onUnreadable(messages, problem) {
          log.warn(`The network sent ${counted(messages, 'message')} that cannot be read. ${problem}`);
        },
      }) ?? null,
    (push) => push?.close(),
  );

/** The longest that the network's own check may take. */
const SELF_CHECK_MS = 20_000;

/**
 * Asks the network what this configuration can read. Nothing waits for the result, which is logged, and returned once
 * it is complete. While nothing can be read, asks again: the network may be down only for a while, and an adapter may
 * learn from the check what it needs later, such as the domain of its server.
 */
export async function openSelfCheck(
  lifecycle: Lifecycle,
  network: Network,
  memory: CheckMemory,
  { log, startPoll }: { readonly log: FastifyBaseLogger; readonly startPoll: StartPoll },
): Promise<() => NetworkReport['findings']> {
  let findings: NetworkReport['findings'] = [];
  const stopping = new AbortController();
  const check = async (): Promise<void> => {
    if (network.selfCheck === undefined || findings.some(({ ok }) => ok)) return;
    const { signal, end } = signalWithTimeout(stopping.signal, SELF_CHECK_MS);
    const report = await network.selfCheck({ signal }, memory).finally(end);
    if (stopping.signal.aborted) return;
    const known = new Set(findings.map(({ what }) => what));
    findings = report.findings;
    for (const { ok, what } of findings) if (!known.has(what)) log[ok ? 'info' : 'warn'](what);
  };
  await lifecycle.open(
    "network's own check",
    // Wrapped in an object so that opening does not wait for the check to end.
    () => ({ checking: check(), poll: startPoll(check, MINUTE_MS) }),
    ({ checking, poll }) => {
      stopping.abort();
      return Promise.all([checking, poll.close()]);
    },
  );
  return () => findings;
}

/** Identifies the software to the network's operators, and gives a contact. */
const toUserAgent = ({ contact }: Config): string => `Perch/${VERSION} (${contact ?? 'self-hosted, no contact given'})`;
