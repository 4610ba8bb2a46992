import { asServiceError, type ServiceError } from '../../../../src/domain/errors.js';
import { handleKey } from '../../../../src/domain/ids.js';
import type { User, UserRef } from '../../../../src/domain/model.js';
import type { Found, ReadContext } from '../../../../src/ports/network.js';
import { unreadable } from '../../upstream/failures.js';
import { isAmong, type LookedUp } from '../../upstream/readable.js';
import { IMPOSSIBLE, isPossibleHandle, noUser, userDid } from '../ids.js';
import { GET_PROFILES, type Profiles } from '../profiles.js';
import type { DetailedProfile } from '../schemas.js';

/** A DID or a handle in lower case; null for what cannot identify an account. */
function toActor(ref: UserRef): string | null {
  if ('id' in ref) return userDid(ref.id);
  return isPossibleHandle(ref.handle) ? handleKey(ref.handle) : null;
}

const missing = (ref: UserRef): { fail: ServiceError } => ({ fail: IMPOSSIBLE.user(ref) ?? noUser() });

/** One outcome per input. A single input uses the method that says why a profile is missing. */
export async function readUsers(
  profiles: Profiles,
  refs: readonly UserRef[],
  context: ReadContext,
): Promise<Found<User>[]> {
  const actors = refs.map(toActor);
  const requested = [...new Set(actors.filter((actor) => actor !== null))];
  const [only] = requested;
  if (only === undefined) return refs.map(missing);
  let found: LookedUp<DetailedProfile>;
  try {
    found =
      requested.length === 1
        ? { objects: [await profiles.one(only, context)], unread: [] }
        : await profiles.all(requested, context);
  } catch (error) {
    const failure = asServiceError(error);
    if (failure.code !== 'not_found') throw error;
    return refs.map((ref, index) => (actors[index] === null ? missing(ref) : { fail: failure }));
  }
  const users = await profiles.usersOf(found.objects, context);
  const byActor = new Map(
    found.objects.flatMap(({ did, handle }) => [did, handleKey(handle)].map((actor) => [actor, users.get(did)])),
  );
  return refs.map((ref, index) => {
    const actor = actors[index] ?? '';
    const user = byActor.get(actor);
    if (user) return { ok: user };
    const isUnread = actor !== '' && isAmong(found.unread, actor.startsWith('did:') ? 'did' : 'handle', actor);
    return isUnread ? { fail: unreadable(GET_PROFILES, `the profile of ${actor}`) } : missing(ref);
  });
}
