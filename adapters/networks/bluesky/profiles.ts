import { ServiceError } from '../../../src/domain/errors.js';
import type { Tweet, User } from '../../../src/domain/model.js';
import { signalWithTimeout } from '../../../src/lib/abort.js';
import type { ReadContext } from '../../../src/ports/network.js';
import { NO_ANSWER, unreadable } from '../upstream/failures.js';
import { isAmong, type LookedUp } from '../upstream/readable.js';
import type { CreationTimes } from './creation-times.js';
import { authorDid, type Item, isHidden, isHiddenItem, itemToTweet, profileToUser } from './map.js';
import { ANSWERS, type DetailedProfile } from './schemas.js';
import { EPOCH } from './times.js';
import type { Xrpc } from './xrpc.js';

export const GET_PROFILES = 'app.bsky.actor.getProfiles';

/** The most actors or addresses in one call. */
export const MOST_INPUTS = 25;

/** Posts do not wait longer for their authors. */
const AUTHORS_MS = 10_000;

export const chunks = <T>(all: readonly T[], size = MOST_INPUTS): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, n) => all.slice(n * size, (n + 1) * size));

/** Reads full profiles, because those in lists and posts have no counts. */
export class Profiles {
  readonly #xrpc: Xrpc;
  readonly #creationTimes: CreationTimes;

  constructor(xrpc: Xrpc, creationTimes: CreationTimes) {
    this.#xrpc = xrpc;
    this.#creationTimes = creationTimes;
  }

  /** One profile. Throws `not_found`, with the reason if the network gives one. */
  async one(actor: string, context: ReadContext): Promise<DetailedProfile> {
    const call = { method: 'app.bsky.actor.getProfile', params: { actor }, schema: ANSWERS.getProfile, context };
    return this.#xrpc(call);
  }

  /** The profiles that exist, in no particular order. */
  async all(actors: readonly string[], context: ReadContext): Promise<LookedUp<DetailedProfile>> {
    const calls = chunks(actors).map((some) =>
      this.#xrpc({ method: GET_PROFILES, params: { actors: some }, schema: ANSWERS.getProfiles, context }),
    );
    const found = (await Promise.all(calls)).map(({ profiles }) => profiles);
    return { objects: found.flatMap(({ objects }) => objects), unread: found.flatMap(({ unread }) => unread) };
  }

  /** By DID; accounts that must not be shown are left out. */
  async usersOf(profiles: readonly DetailedProfile[], context: ReadContext): Promise<Map<string, User>> {
    const shown = profiles.filter((profile) => !isHidden(profile));
    const creationTimes = await this.#creationTimes.of(shown, context);
    return new Map(
      shown.map((profile) => [profile.did, profileToUser(profile, creationTimes.get(profile.did) ?? EPOCH)]),
    );
  }

  /** In the order of the DIDs; accounts that were deleted or must not be shown are left out. */
  async users(dids: readonly string[], context: ReadContext): Promise<User[]> {
    const { objects, unread } = await this.all([...new Set(dids)], context);
    if (objects.length === 0 && unread[0]) throw unreadable(GET_PROFILES, unread[0].problem);
    const users = await this.usersOf(objects, context);
    return dids.flatMap((did) => users.get(did) ?? []);
  }

  /**
   * In the order of the items, with full authors if these can be read. Posts that must not be shown are left out.
   * Throws why an author cannot be read if nothing else says whether that account may be shown.
   */
  async tweets(items: readonly Item[], context: ReadContext): Promise<Tweet[]> {
    const shown = items.filter((item) => !isHiddenItem(item));
    const parts = chunks([...new Set(shown.map(authorDid))]);
    const found = await Promise.all(parts.map((dids) => this.#authors(dids, context)));
    const users = await this.usersOf(
      found.flatMap(({ objects }) => objects),
      context,
    );
    const partOf = new Map(parts.flatMap((dids, index) => dids.map((did) => [did, found[index]])));
    return shown.flatMap((item) => {
      const did = authorDid(item);
      const { unread = [], failure } = partOf.get(did) ?? {};
      if (failure && item.repost && item.repost.by === undefined) throw failure;
      const author = users.get(did);
      return author || failure || isAmong(unread, 'did', did) ? itemToTweet(item, author) : [];
    });
  }

  /** The profiles of authors, or why none of them can be read in time. */
  async #authors(
    dids: readonly string[],
    context: ReadContext,
  ): Promise<LookedUp<DetailedProfile> & { readonly failure?: ServiceError }> {
    const ends = signalWithTimeout(context.signal, AUTHORS_MS);
    try {
      return await this.all(dids, { ...context, signal: ends.signal });
    } catch (error) {
      context.signal.throwIfAborted();
      const failure = ends.signal.aborted ? new ServiceError('upstream_error', NO_ANSWER, { cause: error }) : error;
      if (!(failure instanceof ServiceError)) throw failure;
      return { objects: [], unread: [], failure };
    } finally {
      ends.end();
    }
  }
}
