/** Stands for any text; as the name of a member, for any further members. */
const ANY = '…';

/** Members that differ each time the service starts, so only their kind is compared. */
const VOLATILE = new Set(['request_id', 'fetched_at', 'tweets', 'pinned_tweet_ids']);

const kindOf = (value: unknown): string => (Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value);

/**
 * How an answer differs from what a page shows of it, as `path: difference`. Members that are shown must be there with the
 * same value, and there may be no others unless a `…` says so.
 */
export function differences(shown: unknown, given: unknown, path = '$'): string[] {
  if (shown === ANY) return typeof given === 'string' ? [] : [`${path}: ${kindOf(given)} instead of a text`];
  if (kindOf(shown) !== kindOf(given)) return [`${path}: ${kindOf(given)} instead of ${kindOf(shown)}`];
  if (typeof shown !== 'object' || shown === null) {
    return shown === given ? [] : [`${path}: ${JSON.stringify(given)} instead of ${JSON.stringify(shown)}`];
  }
  const here = shown as Record<string, unknown>;
  const there = given as Record<string, unknown>;
  const found = Object.entries(here).flatMap(([name, value]) => {
    if (name === ANY) return [];
    if (!(name in there)) return [`${path}.${name}: is missing`];
    if (VOLATILE.has(name) && value !== ANY) {
      return kindOf(value) === kindOf(there[name]) ? [] : [`${path}.${name}: ${kindOf(there[name])}`];
    }
    return differences(value, there[name], `${path}.${name}`);
  });
  const more = ANY in here ? [] : Object.keys(there).filter((name) => !(name in here));
  return [...found, ...more.map((name) => `${path}.${name}: is not shown`)];
}
