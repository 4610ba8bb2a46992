import { isUnreadable, ServiceError } from '../../../src/domain/errors.js';
import { signalWithTimeout } from '../../../src/lib/abort.js';
import type { BoundedMap } from '../../../src/lib/bounded-map.js';
import { isDuring, NEVER, spanFrom } from '../../../src/lib/durations.js';
import { Memories } from '../../../src/lib/memories.js';
import type { Clock } from '../../../src/ports/clock.js';
import type { ReadContext } from '../../../src/ports/network.js';
import type { Upstream } from '../upstream/client.js';
import { ANSWERS, type DetailedProfile } from './schemas.js';
import { EPOCH, normaliseTime } from './times.js';

const LONGEST_MS = 3000;
/** After any failure except an unknown account or an unreadable log, the directory is not queried for this long. */
const REST_MS = 60_000;
/** The most look-ups for one page. */
const MOST_AT_ONCE = 10;

/** When accounts were created: the directory of DIDs knows this for accounts without a profile record, too. */
export class CreationTimes {
  readonly #directory: Upstream;
  readonly #clock: Clock;
  /** Creation times never change. */
  readonly #cached: BoundedMap<string>;
  #rest = NEVER;

  constructor(directory: Upstream, clock: Clock, memories = new Memories()) {
    this.#cached = memories.map('births');
    this.#directory = directory;
    this.#clock = clock;
  }

  /** By DID, in the interface's format; 1970 where the time is unknown. */
  async of(profiles: readonly DetailedProfile[], context: ReadContext): Promise<Map<string, string>> {
    const unknown = profiles.filter(
      ({ createdAt, did }) => normaliseTime(createdAt) === undefined && !this.#cached.has(did),
    );
    const requested = unknown.filter(({ did }) => did.startsWith('did:plc:')).slice(0, MOST_AT_ONCE);
    await Promise.all(requested.map(({ did }) => this.#find(did, context)));
    return new Map(
      profiles.map(({ did, createdAt }) => [did, normaliseTime(createdAt) ?? this.#cached.get(did) ?? EPOCH]),
    );
  }

  async #find(did: string, { signal }: ReadContext): Promise<void> {
    if (isDuring(this.#rest, this.#clock.now())) return;
    const ends = signalWithTimeout(signal, LONGEST_MS);
    const context = { signal: ends.signal };
    try {
      const [first] = await this.#directory.request({ path: `/${did}/log/audit`, schema: ANSWERS.plcLog, context });
      const createdAt = normaliseTime(first?.createdAt);
      if (createdAt !== undefined) this.#cached.set(did, createdAt);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ServiceError && (error.code === 'not_found' || isUnreadable(error))) {
        this.#cached.set(did, EPOCH);
        return;
      }
      this.#rest = spanFrom(this.#clock.now(), REST_MS);
    } finally {
      ends.end();
    }
  }
}
