import { badRequest, ServiceError } from '../../src/domain/errors.js';
import { digestText } from '../../src/lib/digest.js';
import { HOUR_MS } from '../../src/lib/durations.js';
import { lazily } from '../../src/lib/lazily.js';
import type { Cache } from '../../src/ports/cache.js';
import type { Clock } from '../../src/ports/clock.js';
import type { ClientDocuments } from '../../src/ports/grants.js';
import { type Allowed, openGuardedAgent, refuseUnfit, Unfit } from './guarded-agent.js';

const MOST_BYTES = 10 * 1024;
const DEADLINE_MS = 3000;
/** The most connections to one host. */
const CONNECTIONS = 2;
const CACHED_MS = HOUR_MS;
const FAILURE_CACHED_MS = 60_000;

/** The most documents that this process fetches at once. A slow host occupies its slot until the deadline. */
const MOST_AT_ONCE = 16;

export interface ClientDocumentsOptions {
  readonly cache: Cache;
  readonly clock: Clock;
  /** Names the software and a contact. */
  readonly userAgent: string;
  readonly allow?: Allowed;
}

/** What is cached: the document as text, or why it is missing. */
type CachedDocument = { readonly text: string } | { readonly fault: string };

/** Fetches Client ID Metadata Documents safely from addresses that strangers choose. */
export class GuardedDocuments implements ClientDocuments {
  readonly #options: ClientDocumentsOptions;
  /** Opened with the first document: many processes never read one. */
  readonly #agent = lazily(() => openGuardedAgent(DEADLINE_MS, CONNECTIONS, this.#options.allow));
  /** Fetches in progress, by address: later callers wait for them. */
  readonly #underway = new Map<string, Promise<CachedDocument>>();

  constructor(options: ClientDocumentsOptions) {
    this.#options = options;
  }

  async read(url: string): Promise<unknown> {
    const { cache, clock } = this.#options;
    const key = `oauth:document:${digestText(url)}`;
    const cached = await cache.get<CachedDocument>(key);
    if (cached) return opened(cached.value);
    const underway = this.#underway.get(url);
    if (underway) return opened(await underway);
    if (this.#underway.size >= MOST_AT_ONCE) throw busy();
    const reading = this.#fetch(url).then(
      (text): CachedDocument => ({ text }),
      (error: unknown): CachedDocument => ({ fault: error instanceof Unfit ? error.message : 'it cannot be reached.' }),
    );
    this.#underway.set(url, reading);
    const found = await reading.finally(() => this.#underway.delete(url));
    await cache.set(key, { value: found, fetchedAt: clock.now() }, 'text' in found ? CACHED_MS : FAILURE_CACHED_MS);
    return opened(found);
  }

  async close(): Promise<void> {
    await (await this.#agent.peek())?.destroy();
  }

  async #fetch(address: string): Promise<string> {
    const url = new URL(address);
    refuseUnfit(url, this.#options.allow);
    const signal = AbortSignal.timeout(DEADLINE_MS);
    const headers = { accept: 'application/json', 'user-agent': this.#options.userAgent };
    const { request } = await import('undici');
    const response = await request(url, { dispatcher: await this.#agent.get(), signal, headers });
    // A discarded body emits an error, and nothing else listens for it.
    response.body.on('error', () => {});
    try {
      const type = String(response.headers['content-type'] ?? '');
      if (response.statusCode !== 200) throw new Unfit('the response status is not 200.');
      if (!/^application\/(?:json|[\w.-]+\+json)\s*(?:;|$)/i.test(type))
        throw new Unfit('its Content-Type is not JSON.');
      return await readText(response.body);
    } finally {
      response.body.destroy();
    }
  }
}

const busy = (): ServiceError =>
  new ServiceError(
    'upstream_error',
    `${MOST_AT_ONCE} client metadata documents are already being fetched. Try again in 3 s.`,
    {
      reason: 'busy',
      retryAfter: DEADLINE_MS / 1000,
    },
  );

async function readText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > MOST_BYTES) throw new Unfit('it is larger than 10 KB.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function opened(cached: CachedDocument): unknown {
  if ('fault' in cached) throw badRequest(cached.fault, 'client_id');
  try {
    return JSON.parse(cached.text);
  } catch {
    throw badRequest('it is not valid JSON.', 'client_id');
  }
}
